/** Reads the newest events backwards, so that the cost does not depend on the log's length. */

import { sql } from 'kysely';
import { refundType } from '../../events/meaning.ts';
import type { Database } from '../database.ts';
import type { FeedRange, Position } from '../feeds.ts';
import { millisecondsOf } from '../moments.ts';
import { findFirstArrival, listEventRanges, positionAfter, selectEvents } from './event-ranges.ts';

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
  events: NewEvent[];
  position: Position;
  /** True if there were more events than the limit; the earliest are omitted. */
  isCut: boolean;
};

/** Lists matching events that arrived after `since` [start of the log]. */
export async function listNewEvents(
  db: Database,
  environment: string,
  { filter, since, limit }: { filter: EventFilter; since?: Position; limit: number },
): Promise<NewEvents> {
  const ranges = await listEventRanges(db, since);
  const { visitor, itemId, pageType } = filter;
  const eventTypes = filter.eventTypes.flatMap((one) => (one === 'purchase' ? [one, refundType] : one));
  const found: NewEvent[] = [];
  for (const range of ranges) {
    const newestFirst = await selectEvents(db, environment, lastOf(range, mostWatched))
      .select(['robot', 'details'])
      .select([
        millisecondsOf('occurred_at').as('occurredAtMs'),
        millisecondsOf('received_at').as('receivedAtMs'),
      ])
      .$if(eventTypes.length > 0, (events) => events.where('event_type', 'in', eventTypes))
      .$if(visitor !== undefined, (events) =>
        events.where((eb) => eb.or([eb('user_id', '=', visitor!), eb('device_id', '=', visitor!)])),
      )
      .$if(itemId !== undefined, (events) => events.where('item_id', '=', itemId!))
      .$if(pageType !== undefined, (events) => events.where('page_type', '=', pageType!))
      .orderBy('number', 'desc')
      .limit(limit + 1)
      .execute();
    found.push(...newestFirst.reverse());
  }
  /** Stable sort: events of one statement share their arrival time and keep their number order. */
  found.sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  const isCut = found.length > limit;
  return { events: isCut ? found.slice(-limit) : found, position: positionAfter(ranges, since), isCut };
}

/** Events of one type on the day that starts at `startAt`. */
export type ItemFigure = { startAt: Date; eventType: string; count: number };

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
    if (range.since > whole.since) cut.push(range);
    const rows = await selectEvents(db, environment, range)
      .select(sql<number>`width_bucket(occurred_at, ${starts}::timestamptz[])`.as('day'))
      .select(['event_type as eventType', ({ fn }) => fn.countAll<number>().as('count')])
      .where('item_id', '=', itemId)
      .where('item_type', 'in', [itemType, ''])
      .where('occurred_at', '>=', starts[0])
      .where('robot', '=', false)
      .groupBy(['day', 'eventType'])
      .execute();
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
