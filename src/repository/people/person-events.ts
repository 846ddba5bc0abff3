/**
 * A person's events: first where they are, eight bytes each, then batch by batch what they say. So a person with
 * a million events takes eight megabytes, and no statement runs for long.
 */

import pg from 'pg';
import { copyRows } from '../copy/row-copy.ts';
import { type Database, query } from '../database.ts';
import { windowsOf } from '../events/event-ranges.ts';
import type { FeedRange } from '../feeds.ts';
import type { Shape } from '../row-shape.ts';
import { literalOf, type Person } from './person.ts';

/** Numbers that one statement looks through: seconds, when the summary of events leaves out none. */
const numbersPerStatement = 5_000_000;

const eventsPerBatch = 10_000;

/** Events of one bucket and lane. */
export type EventBatch = { bucket: number; lane: number; numbers: number[] };

export type LocatedEvents = { batches: EventBatch[]; count: number };

/** @param ranges What is looked through. */
export async function locateEvents(
  db: Database,
  person: Person,
  ranges: readonly FeedRange[],
): Promise<LocatedEvents> {
  const located: LocatedEvents = { batches: [], count: 0 };
  if (person.userId === undefined && person.deviceIds.length === 0) return located;
  for (const window of windowsOf(ranges, numbersPerStatement)) {
    const { bucket, lane } = window;
    let batch: EventBatch | undefined;
    await copyRows(db, selectPlaces(person, window), ({ number }) => {
      if (!batch || batch.numbers.length >= eventsPerBatch) {
        batch = { bucket, lane, numbers: [] };
        located.batches.push(batch);
      }
      batch.numbers.push(number()!);
      located.count += 1;
    });
  }
  return located;
}

const selectPlaces = (person: Person, { bucket, lane, since, until }: FeedRange) => `
  select number::float8 from events
  where bucket = ${bucket} and environment = ${pg.escapeLiteral(person.environment)} and lane = ${lane}
    and number > ${since} and number <= ${until} and ${literalOf(person)}`;

export type PersonEvent = {
  number: number;
  eventType: string;
  requestId: string | null;
  occurredAtMs: number;
  receivedAt: Date;
  robot: boolean;
  /** As it was sent; null unless it was asked for. */
  details: unknown;
};

const eventsStatement = `
select number, event_type as "eventType", request_id as "requestId", robot,
  (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs", received_at as "receivedAt",
  case when $5 then details end as details
from events where bucket = $1 and environment = $2 and lane = $3 and number = any($4::bigint[]) order by number`;

const eventShape: Shape<PersonEvent> = {
  number: 'int8',
  eventType: 'text',
  requestId: 'text?',
  robot: 'bool',
  occurredAtMs: 'float8',
  receivedAt: 'timestamptz',
  details: 'json?',
};

export function listPersonEvents(
  db: Database,
  environment: string,
  { bucket, lane, numbers }: EventBatch,
  withDetails = false,
): Promise<PersonEvent[]> {
  const values = [bucket, environment, lane, numbers, withDetails];
  return query(db, { name: 'list-person-events', text: eventsStatement, values }, eventShape);
}
