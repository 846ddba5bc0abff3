/**
 * A person's events: first where they are, eight bytes each, then batch by batch what they say. So a person with
 * a million events takes eight megabytes, and no statement runs for long.
 */

import pg from 'pg';
import { copyRows } from '../copy/row-copy.ts';
import { type Database, query } from '../database.ts';
import { windowsOf } from '../events/event-ranges.ts';
import type { FeedRange } from '../feeds.ts';
import { literalOf, type Person } from './person.ts';

/** Numbers that one statement looks through: seconds, when the summary of events leaves out none. */
const numbersPerStatement = 5_000_000;

const eventsPerBatch = 10_000;

/** Events of one bucket and lane. */
export type EventBatch = { bucket: number; lane: number; numbers: number[] };

export type LocatedEvents = { batches: EventBatch[]; count: number; deviceIds: Set<string> };

/** @param ranges What is looked through. */
export async function locateEvents(
  db: Database,
  person: Person,
  ranges: readonly FeedRange[],
): Promise<LocatedEvents> {
  const located: LocatedEvents = { batches: [], count: 0, deviceIds: new Set() };
  for (const window of windowsOf(ranges, numbersPerStatement)) {
    const { bucket, lane } = window;
    let batch: EventBatch | undefined;
    await copyRows(db, selectPlaces(person, window), ({ number, text }) => {
      if (!batch || batch.numbers.length >= eventsPerBatch) {
        batch = { bucket, lane, numbers: [] };
        located.batches.push(batch);
      }
      batch.numbers.push(number()!);
      const deviceId = text();
      if (deviceId !== undefined) located.deviceIds.add(deviceId);
      located.count += 1;
    });
  }
  return located;
}

const selectPlaces = (person: Person, { bucket, lane, since, until }: FeedRange) => `
  select number::float8, device_id from events
  where bucket = ${bucket} and environment = ${pg.escapeLiteral(person.environment)} and lane = ${lane}
    and number > ${since} and number <= ${until} and ${literalOf(person)}`;

export type PersonEvent = {
  number: number;
  eventType: string;
  itemId: string | null;
  requestId: string | null;
  occurredAtMs: number;
  receivedAt: Date;
  robot: boolean;
  /** As it was sent; null unless it was asked for. */
  details: unknown;
};

const eventsStatement = `
select number, event_type as "eventType", item_id as "itemId", request_id as "requestId", robot,
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
  return query(db, { name: 'list-person-events', text: eventsStatement, values });
}

const linkedStatement = `
select substr(subject, 3) as "deviceId" from histories
where bucket = $1 and environment = $2 and subject = any($3) and linked_user = $4`;

/** Of some devices, those of one bucket that were seen with the user last. */
export async function listLinkedDevices(
  db: Database,
  bucket: number,
  { environment, userId }: Pick<Person, 'environment' | 'userId'>,
  subjects: readonly string[],
): Promise<string[]> {
  const values = [bucket, environment, subjects, userId];
  const rows = await query<{ deviceId: string }>(db, { name: '', text: linkedStatement, values });
  return rows.map(({ deviceId }) => deviceId);
}
