/** Names stored events by their place in the log, so that an import recognises exported events. */

import { hash } from 'node:crypto';
import { type Database, query } from '../database.ts';
import type { EventRow } from '../event-row.ts';
import { withStorableIds } from './events.ts';
import type { StoredEvent } from './stored-event.ts';

type Place = Pick<StoredEvent, 'bucket' | 'lane' | 'number'>;

export const formatPosition = ({ bucket, lane, number }: Place): string => `${bucket}.${lane}.${number}`;

function parsePosition(text: string): Place | undefined {
  const [, bucket, lane, number] = /^(\d{1,4})\.(\d{1,4})\.(\d{1,15})$/.exec(text) ?? [];
  return number === undefined
    ? undefined
    : { bucket: Number(bucket), lane: Number(lane), number: Number(number) };
}

/** Returns the ID that an export gives to an event without one: the same in every export. */
export function derivedEventId({ environment, receivedAtMs, ...place }: StoredEvent): string {
  const identity = [environment, formatPosition(place), receivedAtMs];
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 22);
}

type FoundEvent = Pick<StoredEvent, 'lane' | 'number' | 'eventType' | 'occurredAtMs'> & {
  deviceId: string | null;
  userId: string | null;
};

const findStatement = `
select lane, number, event_type as "eventType", device_id as "deviceId", user_id as "userId",
  (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs"
from events join unnest($3::int[], $4::bigint[]) as wanted(wanted_lane, wanted_number)
  on lane = wanted_lane and number = wanted_number
where bucket = $1 and environment = $2`;

/** Returns those of the events of one environment that are stored at the place that they name. */
export async function findStoredAt<Named extends { row: EventRow; position?: string }>(
  db: Database,
  environment: string,
  events: readonly Named[],
): Promise<Set<Named>> {
  const placed = events.flatMap((event) => {
    const place = event.position === undefined ? undefined : parsePosition(event.position);
    return place === undefined ? [] : [{ event, place }];
  });
  const stored = new Set<Named>();
  for (const [bucket, ofBucket] of Map.groupBy(placed, ({ place }) => place.bucket)) {
    const lanes = ofBucket.map(({ place }) => place.lane);
    const values = [bucket, environment, lanes, ofBucket.map(({ place }) => place.number)];
    const rows = await query<FoundEvent>(db, 'find-at-positions', findStatement, values);
    const found = new Map(rows.map((row) => [`${row.lane}.${row.number}`, row]));
    for (const { event, place } of ofBucket)
      if (isSame(found.get(`${place.lane}.${place.number}`), event.row)) stored.add(event);
  }
  return stored;
}

function isSame(stored: FoundEvent | undefined, row: EventRow): boolean {
  const { eventType, occurredAtMs, deviceId = null, userId = null } = withStorableIds(row);
  return (
    stored?.eventType === eventType &&
    Math.floor(stored.occurredAtMs) === Math.floor(occurredAtMs) &&
    stored.deviceId === deviceId &&
    stored.userId === userId
  );
}
