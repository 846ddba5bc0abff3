/**
 * Erases the personal data of a person, in statements of one bucket each. Repeating it after a
 * failure completes it.
 */

import type { Database } from '../database.ts';
import type { FoundPerson } from './find-person.ts';
import { deleteEvents } from './person-events.ts';
import { eraseRows } from './personal-rows.ts';
import { personalTables } from './personal-tables.ts';

/** Numbers of rows by kind. */
export type Counts = Record<string, number>;

/**
 * @param settled Resolves when every node has written the data it buffered before the deletion.
 * @returns The numbers of deleted rows by kind, without zeros.
 */
export async function erasePerson(
  db: Database,
  { person, own, ofDevices }: FoundPerson,
  settled: Promise<unknown> = Promise.resolve(),
): Promise<Counts> {
  const counts: Counts = {};
  for (const batch of ofDevices) addCounts(counts, await deleteEvents(db, person.environment, batch));
  await settled;
  for (const table of personalTables) addCounts(counts, { [table.name]: await eraseRows(db, person, table) });
  for (const batch of own) addCounts(counts, await deleteEvents(db, person.environment, batch));
  return counts;
}

export function addCounts(counts: Counts, added: Counts): void {
  for (const [name, count] of Object.entries(added))
    if (count > 0) counts[name] = (counts[name] ?? 0) + count;
}
