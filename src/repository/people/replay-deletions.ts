/**
 * Repeats deletions that a restored database lacks: compares every subject that it names with the
 * pseudonyms of the receipts, and erases those that match.
 *
 * Runs before any node uses the database, in one pass over the tables that name subjects.
 */

import { parseSubject } from '../../ranking/subject.ts';
import { listBuckets } from '../buckets.ts';
import { copyRows } from '../copy-rows.ts';
import type { Database } from '../database.ts';
import { listEventRanges, windowsOf } from '../events/event-ranges.ts';
import {
  completeDeletion,
  type Deletion,
  type ForeignDeletion,
  insertDeletion,
  listPendingDeletions,
} from './deletions.ts';
import { createMarker } from './marks.ts';
import { findPerson } from './person.ts';
import { eventNames } from './person-events.ts';
import { addCounts, type Counts, erasePerson } from './personal-rows.ts';
import { personalTables } from './personal-tables.ts';

/**
 * @param receipts Younger than the backup, as readReceipt returns them; receipts that the database
 *   knows are ignored.
 * @returns The number of repeated deletions.
 */
export async function replayDeletions(
  db: Database,
  receipts: readonly ForeignDeletion[] = [],
): Promise<number> {
  for (const receipt of receipts) await insertDeletion(db, receipt);
  const pending = await listPendingDeletions(db);
  if (pending.length === 0) return 0;
  const subjectsByMark = await findSubjects(db, pending);
  for (const deletion of pending) {
    const { environment, kind, subjects } = deletion;
    const deleted: Counts = {};
    for (const mark of subjects) {
      const subject = subjectsByMark.get(mark);
      if (subject === undefined) continue;
      const name = { environment, ...parseSubject(subject) };
      const found = await findPerson(db, name, await listEventRanges(db), kind === 'device');
      addCounts(deleted, await erasePerson(db, found));
    }
    await completeDeletion(db, deletion, deleted);
  }
  return pending.length;
}

/** Returns the subjects of the deletions by their pseudonyms. */
async function findSubjects(db: Database, deletions: readonly Deletion[]): Promise<Map<string, string>> {
  const marker = await createMarker(db);
  const isWanted = marker.among(deletions.flatMap(({ subjects }) => subjects));
  const found = new Map<string, string>();
  for await (const select of selectsOfSubjects(db))
    await copyRows(db, select, ({ text }) => {
      const [environment, subject] = [text()!, text()!];
      if (isWanted(environment, subject)) found.set(marker.markOf(environment, subject), subject);
    });
  return found;
}

/** Yields statements that select environments and subjects. */
async function* selectsOfSubjects(db: Database): AsyncGenerator<string> {
  const select = (table: string, subjects: string, condition: string) => `
    select distinct environment, names.name from ${table}, lateral (${subjects}) as names(name)
    where names.name is not null and ${condition}`;
  for (const { bucket, lane, since, until } of windowsOf(await listEventRanges(db)))
    yield select(
      'events',
      eventNames.subjects,
      `bucket = ${bucket} and lane = ${lane} and number > ${since} and number <= ${until}`,
    );
  for (const { table, subjects, buckets } of personalTables) {
    if (subjects === undefined) continue;
    const places = buckets === 'none' ? ['true'] : (await listBuckets(db)).map((one) => `bucket = ${one}`);
    for (const place of places) yield select(table, subjects, place);
  }
}
