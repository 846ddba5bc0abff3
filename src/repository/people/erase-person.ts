/**
 * Deletes all that is stored about a person, in statements of one bucket each.
 *
 * What leads to other rows goes last: histories say which devices are the user's. So another try finds what one that broke
 * off has left.
 */

import type { Database } from '../database.ts';
import { deleteBatched } from './batch-traces.ts';
import { type Counts, deleteEvents } from './event-traces.ts';
import { deleteClaims, type FoundPerson } from './find-person.ts';
import { deleteLists, deleteMemberships, deleteRecorded, deleteVisits } from './kept-traces.ts';
import { deleteKeyedTrace, keyedTraces } from './keyed-traces.ts';
import { deleteClicks, deletePurchases } from './moment-traces.ts';
import type { Person } from './person.ts';
import type { LocatedEvents } from './person-events.ts';
import { deleteTyped } from './typed-traces.ts';

/**
 * @param settled Resolves when every node has written what it held of the time before.
 * @returns the rows that were deleted, by kind, without those of which there were none
 */
export async function erasePerson(
  db: Database,
  { person, own, ofDevices }: FoundPerson,
  settled: Promise<unknown> = Promise.resolve(),
): Promise<Counts> {
  const counts: Counts = {};
  const add = (name: string, count: number) => {
    if (count > 0) counts[name] = (counts[name] ?? 0) + count;
  };
  await eraseEvents(db, person, ofDevices, add);
  await settled;
  add('lists', await deleteLists(db, person));
  add('recorded_requests', await deleteRecorded(db, person));
  add('audience_members', await deleteMemberships(db, person));
  add('batch_results', await deleteBatched(db, person));
  add('clicks', await deleteClicks(db, person));
  add('purchases', await deletePurchases(db, person));
  add('search_visits', await deleteVisits(db, person));
  add('typed_queries', await deleteTyped(db, person));
  add('claims', await deleteClaims(db, person));
  for (const trace of keyedTraces) add(trace.name, await deleteKeyedTrace(db, person, trace));
  await eraseEvents(db, person, own, add);
  return counts;
}

async function eraseEvents(
  db: Database,
  person: Person,
  { batches }: LocatedEvents,
  add: (name: string, count: number) => void,
): Promise<void> {
  for (const batch of batches) {
    const counts = await deleteEvents(db, person.environment, batch);
    for (const [name, count] of Object.entries(counts)) add(name, count);
  }
}
