/**
 * Reads the newest events for live views, backwards from the ends of the feeds. The number of rows
 * is bounded, so the cost does not depend on the length of the log.
 */

import { refundType } from '../../events/meaning.ts';
import { type Database, query } from '../database.ts';
import type { FeedRange, Position } from '../feeds.ts';
import { findFirstArrival, listEventRanges, positionAfter } from './event-ranges.ts';

/** Span of event numbers that is read per feed, from its end. */
const mostWatched = 20_000;
const mostCounted = 100_000;

export type EventFilter = {
  eventTypes: readonly string[];
  /** User ID or device ID. */
  visitor?: string;
  itemId?: string;
  pageType?: string;
};

export type NewEvent = {
  receivedAtMs: number;
  occurredAtMs: number;
  robot: boolean;
  /** Event as sent: a JSON object. */
  details: unknown;
};

export type NewEvents = {
  /** Events in order of arrival. */
  events: NewEvent[];
  position: Position;
  /** True if there were more events than the limit; the earliest are omitted. */
  isCut: boolean;
};

const watchStatement = `
select robot, details,
  (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs",
  (extract(epoch from received_at) * 1000)::float8 as "receivedAtMs"
from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
  and (cardinality($6::text[]) = 0 or event_type = any($6))
  and ($7::text is null or user_id = $7 or device_id = $7)
  and ($8::text is null or item_id = $8) and ($9::text is null or page_type = $9)
order by number desc limit $10`;

/** Lists matching events that arrived after `since` [start of the log]. */
export async function listNewEvents(
  db: Database,
  environment: string,
  { filter, since, limit }: { filter: EventFilter; since?: Position; limit: number },
): Promise<NewEvents> {
  const ranges = await listEventRanges(db, since);
  const { visitor = null, itemId = null, pageType = null } = filter;
  const eventTypes = filter.eventTypes.flatMap((one) => (one === 'purchase' ? [one, refundType] : one));
  const found: NewEvent[] = [];
  for (const range of ranges) {
    const { bucket, lane, since: first, until } = lastOf(range, mostWatched);
    const place = [bucket, environment, lane, first, until];
    const values = [...place, eventTypes, visitor, itemId, pageType, limit + 1];
    const newestFirst = await query<NewEvent>(db, 'list-new-events', watchStatement, values);
    found.push(...newestFirst.reverse());
  }
  /** Stable sort: events of one statement share their arrival time and keep their number order. */
  found.sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  const isCut = found.length > limit;
  return { events: isCut ? found.slice(-limit) : found, position: positionAfter(ranges, since), isCut };
}

/** Events of one type on the day that starts at `startAt`. */
export type ItemFigure = { startAt: Date; eventType: string; count: number };

type CountedRow = { day: number; eventType: string; count: number };

const countStatement = `
select width_bucket(occurred_at, $8::timestamptz[]) as day, event_type as "eventType", count(*)::float8 as count
from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
  and item_id = $6 and (item_type = $7 or item_type = '') and occurred_at >= ($8::timestamptz[])[1] and not robot
group by 1, 2`;

export type CountedItem = { itemType: string; itemId: string; dayStarts: readonly number[] };

/** Counts the events of an item by day and event type. @param dayStarts Milliseconds, ascending. */
export async function countItemEvents(
  db: Database,
  environment: string,
  { itemType, itemId, dayStarts }: CountedItem,
): Promise<{ figures: ItemFigure[]; isPartial: boolean }> {
  const sums = new Map<string, ItemFigure>();
  const starts = dayStarts.map((ms) => new Date(ms));
  const cut: FeedRange[] = [];
  for (const whole of await listEventRanges(db)) {
    const range = lastOf(whole, mostCounted);
    const { bucket, lane, since, until } = range;
    if (since > whole.since) cut.push(range);
    const values = [bucket, environment, lane, since, until, itemId, itemType, starts];
    const rows = await query<CountedRow>(db, 'count-item-events', countStatement, values);
    for (const { day, eventType, count } of rows) {
      const key = `${day} ${eventType}`;
      const earlier = sums.get(key)?.count ?? 0;
      sums.set(key, { startAt: starts[day - 1], eventType, count: earlier + count });
    }
  }
  const figures = [...sums.values()].sort(
    (a, b) => a.startAt.getTime() - b.startAt.getTime() || (a.eventType < b.eventType ? -1 : 1),
  );
  const firstSeen = await findFirstArrival(db, environment, cut);
  return { figures, isPartial: firstSeen !== undefined && firstSeen > starts[0] };
}

const lastOf = ({ bucket, lane, since, until }: FeedRange, most: number): FeedRange => ({
  bucket,
  lane,
  since: Math.max(since, until - most),
  until,
});
