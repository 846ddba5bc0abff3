/** Selects ranges of the event log, which has one feed per bucket and lane. */

import { sql } from 'kysely';
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { type FeedRange, listFeedEnds, type Position, rangesBetween } from '../feeds.ts';

/** Maximum time by which an event may be ahead of its arrival: five minutes. */
const mostAheadMs = 5 * 60_000;

const hourMs = 3_600_000;

/** Lists the ranges stored after a position. */
export async function listEventRanges(db: Database, since: Position = {}): Promise<FeedRange[]> {
  return rangesBetween(since, await listFeedEnds(db, 'events', await listBuckets(db)));
}

/** Returns the position at the end of the ranges. */
export function positionAfter(ranges: readonly FeedRange[], since: Position = {}): Position {
  return {
    ...since,
    ...Object.fromEntries(ranges.map(({ bucket, lane, until }) => [`${bucket}.${lane}`, until])),
  };
}

/** Returns the ranges from the start of each feed to a position. */
export function rangesUpTo(position: Position): FeedRange[] {
  return Object.entries(position).map(([key, until]) => {
    const [bucket, lane] = key.split('.').map(Number);
    return { bucket, lane, since: 0, until };
  });
}

const firstText = 'select first_event_since($1, $2, $3, $4) as "first"';

/** Narrows ranges to an environment's events that arrived at or after `moment`. */
export async function rangesArrivedSince(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  moment: Date,
): Promise<FeedRange[]> {
  const found: FeedRange[] = [];
  for (const range of ranges) {
    const values = [range.bucket, environment, range.lane, moment];
    const [{ first }] = await query<{ first: string | null }>(db, 'first-event-since', firstText, values);
    if (first === null || Number(first) > range.until) continue;
    found.push({ ...range, since: Math.max(range.since, Number(first) - 1) });
  }
  return found;
}

export type NewestEvents = {
  ranges: FeedRange[];
  /** Excludes earlier events in the ranges; undefined if all of them belong. */
  occurredSince: Date | undefined;
  /** End of the log when the ranges were selected. */
  until: Position;
};

/** Finds the ranges of one environment's newest events: about `most`, by event time. */
export async function findNewestEvents(
  db: Database,
  environment: string,
  most: number,
): Promise<NewestEvents> {
  const all = await listEventRanges(db);
  const occurredSince = await findMomentOfNewest(db, environment, most);
  const ranges =
    occurredSince === undefined
      ? all
      : await rangesArrivedSince(db, environment, all, new Date(occurredSince.getTime() - mostAheadMs));
  const limited = await limitRanges(db, environment, ranges, most);
  return { ranges: limited, occurredSince, until: positionAfter(all) };
}

/** Returns the start of the latest hour since which at least `most` events occurred, if any. */
async function findMomentOfNewest(
  db: Database,
  environment: string,
  most: number,
): Promise<Date | undefined> {
  const rows = await db.kysely
    .selectFrom('metric_totals')
    .select(['hour', ({ fn }) => fn.sum<number>('events').as('count')])
    .where(sql<boolean>`bucket = any(${await listBuckets(db)})`)
    .where('environment', '=', environment)
    .where('dimension', '=', 0)
    .where('events', 'is not', null)
    .groupBy('hour')
    .orderBy('hour', 'desc')
    .execute();
  let count = 0;
  for (const row of rows) {
    count += row.count;
    if (count >= most) return new Date(row.hour * hourMs);
  }
  return undefined;
}

export const selectEvents = (
  { kysely }: Database,
  environment: string,
  { bucket, lane, since, until }: FeedRange,
) =>
  kysely
    .selectFrom('events')
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .where('lane', '=', lane)
    .where('number', '>', since)
    .where('number', '<=', until);

/** Drops the oldest events of the ranges, in equal shares, if they hold more than `most`. */
export async function limitRanges(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  most: number,
): Promise<FeedRange[]> {
  const longest = ranges.reduce((sum, { since, until }) => sum + until - since, 0);
  if (longest <= most) return [...ranges];
  const counts: number[] = [];
  for (const range of ranges) {
    const counted = selectEvents(db, environment, range).select(({ fn }) =>
      fn.countAll<number>().as('count'),
    );
    counts.push((await counted.executeTakeFirstOrThrow()).count);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= most) return [...ranges];
  const limited: FeedRange[] = [];
  for (const [i, range] of ranges.entries()) {
    const skipped = counts[i] - Math.floor((counts[i] * most) / total);
    const rest = selectEvents(db, environment, range).select('number').orderBy('number').offset(skipped);
    const first = await rest.limit(1).executeTakeFirst();
    if (first) limited.push({ ...range, since: first.number - 1 });
  }
  return limited;
}

/** Event numbers per window: about a second of reading, well below the statement timeout. */
const windowSize = 250_000;

/** Splits long ranges into windows that are read by one short statement each. */
export function* windowsOf(ranges: readonly FeedRange[], size = windowSize): Generator<FeedRange> {
  for (const { bucket, lane, since, until } of ranges)
    for (let start = since; start < until; start += size)
      yield { bucket, lane, since: start, until: Math.min(until, start + size) };
}

/** Returns the arrival time of the earliest event in the ranges; undefined if they are empty. */
export async function findFirstArrival(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
): Promise<Date | undefined> {
  const moments: number[] = [];
  for (const range of ranges) {
    const events = selectEvents(db, environment, range).select('received_at').orderBy('number').limit(1);
    const first = await events.executeTakeFirst();
    if (first) moments.push(first.received_at.getTime());
  }
  return moments.length === 0 ? undefined : new Date(Math.min(...moments));
}
