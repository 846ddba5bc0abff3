/**
 * A person's events: located first, eight bytes each, then read or deleted batch by batch. A person
 * with a million events takes eight megabytes of memory, and no statement runs for long.
 */

import { sql } from 'kysely';
import pg from 'pg';
import { bucketCountOf, bucketOf } from '../buckets.ts';
import { copyRows } from '../copy-rows.ts';
import { type Database, executeRaw, query } from '../database.ts';
import { windowsOf } from '../events/event-ranges.ts';
import type { FeedRange } from '../feeds.ts';
import { hourOf } from '../metrics/metric-batch.ts';
import type { Person } from './person.ts';
import { named } from './personal-tables.ts';

/** Numbers that one statement covers: some seconds where block summaries exclude nothing. */
const numbersPerStatement = 5_000_000;

const eventsPerBatch = 10_000;

export type EventBatch = { bucket: number; lane: number; numbers: number[] };

export const eventNames = named('user_id', 'device_id');

export async function locateEvents(
  db: Database,
  person: Person,
  ranges: readonly FeedRange[],
): Promise<EventBatch[]> {
  const located: EventBatch[] = [];
  const { userId, deviceIds, tenures = [] } = person;
  if (userId === undefined && deviceIds.length + tenures.length === 0) return located;
  const isTheirs = conditionOf(db, person);
  for (const { bucket, lane, since, until } of windowsOf(ranges, numbersPerStatement)) {
    const select = `
      select number::float8 from events
      where bucket = ${bucket} and environment = ${pg.escapeLiteral(person.environment)} and lane = ${lane}
        and number > ${since} and number <= ${until} and ${isTheirs}`;
    let batch: EventBatch | undefined;
    await copyRows(db, select, ({ number }) => {
      if (!batch || batch.numbers.length >= eventsPerBatch) {
        batch = { bucket, lane, numbers: [] };
        located.push(batch);
      }
      batch.numbers.push(number()!);
    });
  }
  return located;
}

/** Returns the condition for the person's events as text, since COPY takes no parameters. */
function conditionOf(db: Database, { userId, deviceIds, tenures = [], hasWholeDevices }: Person): string {
  const condition = eventNames.where({
    users: literalList(userId === undefined ? [] : [userId]),
    devices: literalList(deviceIds),
    hasWholeDevices: sql.lit(hasWholeDevices),
  });
  const ofTenures = tenures.map(
    ({ deviceId, afterUs, untilUs }) => `device_id = ${pg.escapeLiteral(deviceId)} and user_id is null
      and received_at > ${momentText(afterUs)} and received_at <= ${momentText(untilUs)}`,
  );
  return `(${[condition.compile(db.kysely).sql, ...ofTenures].join(' or ')})`;
}

const momentText = (us: number) => `timestamptz 'epoch' + ${us} * interval '1 microsecond'`;

const literalList = (ids: readonly string[]) =>
  sql.raw(`array[${ids.map((id) => pg.escapeLiteral(id)).join(',')}]::text[]`);

type PersonEvent = {
  number: number;
  eventType: string;
  requestId: string | null;
  occurredAtMs: number;
  receivedAt: Date;
  robot: boolean;
  /** The event as it was sent; null unless requested. */
  details: unknown;
};

const eventsStatement = `
select number, event_type as "eventType", request_id as "requestId", robot,
  (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs", received_at as "receivedAt",
  case when $5 then details end as details
from events where bucket = $1 and environment = $2 and lane = $3 and number = any($4::bigint[]) order by number`;

export function listPersonEvents(
  db: Database,
  environment: string,
  { bucket, lane, numbers }: EventBatch,
  withDetails = false,
): Promise<PersonEvent[]> {
  const values = [bucket, environment, lane, numbers, withDetails];
  return query<PersonEvent>(db, 'list-person-events', eventsStatement, values);
}

const deleteStatement = `
with gone as (
  delete from events where bucket = $1 and environment = $2 and lane = $3 and number = any($4::bigint[])
  returning event_id, event_type, is_public
),
claims as (
  delete from event_claims where bucket = $1 and environment = $2
    and (event_id, event_type, is_public) in (
      select event_id, event_type, is_public from gone where event_id is not null)
),
ids as (
  delete from event_ids where bucket = $1 and environment = $2
    and event_id in (select event_id from gone where event_id is not null)
)
select count(*) from gone`;

/** Deletes events and the impression sets they counted. Events go last: until then a repetition finds everything. */
export async function deleteEvents(db: Database, environment: string, batch: EventBatch) {
  const events = await listPersonEvents(db, environment, batch);
  const impression_sets = await deleteImpressionSets(db, environment, events);
  const values = [batch.bucket, environment, batch.lane, batch.numbers];
  const [{ count }] = await query<{ count: number }>(db, 'delete-events', deleteStatement, values);
  return { impression_sets, events: count };
}

async function deleteImpressionSets(
  db: Database,
  environment: string,
  events: readonly PersonEvent[],
): Promise<number> {
  const bucketCount = await bucketCountOf(db);
  const shown = events.filter(({ eventType, requestId }) => eventType === 'impression' && requestId !== null);
  let sum = 0;
  for (const [bucket, sets] of Map.groupBy(shown, ({ requestId }) =>
    bucketOf(bucketCount, environment, requestId!),
  ))
    sum += await executeRaw(
      db,
      sql`
        delete from metric_keys where bucket = ${bucket} and environment = ${environment} and kind = 's'
          and (hour, key) in (select * from unnest(
            ${sets.map(({ occurredAtMs }) => hourOf(occurredAtMs))}::int[],
            ${sets.map(({ requestId }) => requestId)}::text[]))`,
    );
  return sum;
}
