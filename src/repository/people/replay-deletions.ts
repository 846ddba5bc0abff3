/**
 * Carries out deletions that a restored database has not seen: whoever it names is compared with the marks of the receipts,
 * and who is found is deleted.
 *
 * For a database that no node uses yet. One pass over the tables that name people, which all others follow from.
 */

import { listBuckets } from '../buckets.ts';
import { copyRows } from '../copy/row-copy.ts';
import type { Database } from '../database.ts';
import { listEventRanges, windowsOf } from '../events/event-ranges.ts';
import {
  completeDeletion,
  type Deletion,
  type ForeignDeletion,
  insertForeignDeletions,
  listPendingDeletions,
} from './deletions.ts';
import { erasePerson } from './erase-person.ts';
import type { Counts } from './event-traces.ts';
import { findPerson } from './find-person.ts';
import { createMarker } from './marks.ts';

/**
 * @param receipts Younger than the backup, as readReceipt gives them; those that the database knows are left as they are.
 * @returns how many were carried out
 */
export async function replayDeletions(
  db: Database,
  receipts: readonly ForeignDeletion[] = [],
): Promise<number> {
  await insertForeignDeletions(db, receipts);
  const pending = await listPendingDeletions(db);
  if (pending.length === 0) return 0;
  const people = await findSubjects(db, pending);
  for (const deletion of pending) {
    const { environment, kind, subjects } = deletion;
    const deleted: Counts = {};
    for (const mark of subjects) {
      const subject = people.get(mark);
      if (subject === undefined) continue;
      const isUser = subject.startsWith('u:');
      const name = {
        environment,
        kind: isUser ? ('user' as const) : ('device' as const),
        id: subject.slice(2),
      };
      const found = await findPerson(db, name, await listEventRanges(db), kind === 'device');
      for (const [what, count] of Object.entries(await erasePerson(db, found)))
        deleted[what] = (deleted[what] ?? 0) + count;
    }
    await completeDeletion(db, deletion, deleted);
  }
  return pending.length;
}

/** By mark, who is meant. */
async function findSubjects(db: Database, deletions: readonly Deletion[]): Promise<Map<string, string>> {
  const marker = await createMarker(db);
  const isWanted = marker.among(deletions.flatMap(({ subjects }) => subjects));
  const found = new Map<string, string>();
  const look = (environment: string, subject: string) => {
    if (isWanted(environment, subject)) found.set(marker.markOf(environment, subject), subject);
  };
  for await (const statement of statementsOfNames(db))
    await copyRows(db, statement, ({ text }) => {
      const [environment, userId, deviceId] = [text()!, text(), text()];
      if (userId !== undefined) look(environment, `u:${userId}`);
      if (deviceId !== undefined) look(environment, `d:${deviceId}`);
    });
  return found;
}

/** Each gives environments, users and devices. */
async function* statementsOfNames(db: Database): AsyncGenerator<string> {
  for (const { bucket, lane, since, until } of windowsOf(await listEventRanges(db)))
    yield `select environment, user_id, device_id from events
      where bucket = ${bucket} and lane = ${lane} and number > ${since} and number <= ${until}
      group by 1, 2, 3`;
  for (const bucket of await listBuckets(db)) {
    yield `select environment, coalesce(linked_user, case when subject like 'u:%' then substr(subject, 3) end),
      case when subject like 'd:%' then substr(subject, 3) end from histories where bucket = ${bucket}`;
    yield `select environment, coalesce(linked_user, case when subject like 'u:%' then substr(subject, 3) end),
      case when subject like 'd:%' then substr(subject, 3) end from typed_queries where bucket = ${bucket}`;
    yield `select environment, null::text, device_id from metric_exposures where bucket = ${bucket} group by 1, 3`;
    yield `select environment, null::text, device_id from metric_devices where bucket = ${bucket} group by 1, 3`;
    yield `select environment, key, null::text from metric_keys where bucket = ${bucket} and kind = 'u' group by 1, 2`;
    for (const table of ['metric_clicks', 'metric_purchases'])
      yield `select environment, user_id, device_id from ${table} where bucket = ${bucket} group by 1, 2, 3`;
    yield `select environment, payload::json ->> 'userId', payload::json ->> 'deviceId' from lists
      where bucket = ${bucket}`;
    yield `select environment, request ->> 'user_id', request ->> 'device_id' from recorded_requests
      where bucket = ${bucket}`;
    yield `select environment, case when person #>> '{}' like 'u:%' then substr(person #>> '{}', 3) end,
      case when person #>> '{}' like 'd:%' then substr(person #>> '{}', 3) end
      from batch_parts, json_array_elements(people::json) as person where bucket = ${bucket}`;
  }
  yield `select environment, case when member ->> 0 like 'u:%' then substr(member ->> 0, 3) end,
    case when member ->> 0 like 'd:%' then substr(member ->> 0, 3) end
    from audience_members, json_array_elements(members::json) as member where member ->> 0 is not null`;
}
