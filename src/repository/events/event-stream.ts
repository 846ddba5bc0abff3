/**
 * Reads an environment's events in order of arrival, for training and export.
 *
 * Page by page after the last sequence number, not by a cursor: memory stays bounded by one page, and no transaction stays
 * open, which would keep the whole database from cleaning up.
 */
import { type Database, query } from '../database.ts';
import type { EventRow } from '../event-row.ts';

/** Rows a batch; a batch of average events is a few MB. */
const batchSize = 5_000;

/** An event may be at most five minutes ahead of its arrival, so older partitions need not be looked at. */
const allowedAhead = "interval '5 minutes'";

export type StreamedEvent = EventRow & {
  sequence: number;
  receivedAtMs: number;
  /** Of a checkpoint, 0 to 1. */
  progress?: number;
};

export type EventRange = {
  /** Exclusive; 0 or absent starts at the beginning. */
  sinceSequence?: number;
  /** Inclusive; a follower gives `findSettledSequence`. */
  untilSequence?: number;
  /** Of the time of the event, inclusive. */
  from?: Date;
  /** Of the time of the event, exclusive. */
  to?: Date;
  /** Whether `details` is read too; training needs none, and parsing them is most of the work [false]. */
  withDetails?: boolean;
};

/** As the driver reads it: absent is null. */
type StreamedRow = Pick<StreamedEvent, AlwaysPresent> & {
  [name in keyof StreamedEvent]: StreamedEvent[name] | null;
};
type AlwaysPresent = 'environment' | 'sequence' | 'receivedAtMs' | 'occurredAtMs' | 'eventType' | 'robot';

const streamStatement = `
select environment, sequence, event_type as "eventType", device_id as "deviceId", user_id as "userId",
  item_type as "itemType", item_id as "itemId", request_id as "requestId", list_name as "listName",
  page_type as "pageType", channel, user_group as "userGroup", version, robot, event_id as "eventId", case when $6 then details end as details,
  case when event_type = 'checkpoint' and json_typeof(details -> 'progress') = 'number'
    then (details ->> 'progress')::float8 end as progress,
  (extract(epoch from occurred_at) * 1000)::int8 as "occurredAtMs",
  (extract(epoch from received_at) * 1000)::int8 as "receivedAtMs"
from events
where environment = $1 and sequence > $2 and sequence <= coalesce($3, 9223372036854775807)
  and occurred_at >= coalesce($4, '-infinity'::timestamptz) and occurred_at < coalesce($5, 'infinity'::timestamptz)
  and received_at >= coalesce($4, '-infinity'::timestamptz) - ${allowedAhead}
order by sequence limit ${batchSize}`;

export async function* streamEvents(
  db: Database,
  environment: string,
  range: EventRange = {},
): AsyncGenerator<StreamedEvent[], void, undefined> {
  let sequence = range.sinceSequence ?? 0;
  while (true) {
    const values = [environment, sequence, ...rangeValues(range)];
    const rows = await query<StreamedRow>(db, { name: 'stream-events', text: streamStatement, values });
    if (rows.length > 0) yield rows.map(readEvent);
    if (rows.length < batchSize) return;
    sequence = rows[rows.length - 1].sequence;
  }
}

function rangeValues({ untilSequence, from, to, withDetails }: EventRange): unknown[] {
  return [untilSequence ?? null, from ?? null, to ?? null, withDetails ?? false];
}

/** Written out, since one shape for all rows is several times faster than copying what is present. */
function readEvent(row: StreamedRow): StreamedEvent {
  return {
    environment: row.environment,
    sequence: row.sequence,
    receivedAtMs: row.receivedAtMs,
    occurredAtMs: row.occurredAtMs,
    eventType: row.eventType,
    deviceId: row.deviceId ?? undefined,
    userId: row.userId ?? undefined,
    itemType: row.itemType ?? undefined,
    itemId: row.itemId ?? undefined,
    requestId: row.requestId ?? undefined,
    listName: row.listName ?? undefined,
    pageType: row.pageType ?? undefined,
    channel: row.channel ?? undefined,
    userGroup: row.userGroup ?? undefined,
    version: row.version ?? undefined,
    robot: row.robot,
    eventId: row.eventId ?? undefined,
    details: row.details ?? undefined,
    progress: row.progress ?? undefined,
  };
}
