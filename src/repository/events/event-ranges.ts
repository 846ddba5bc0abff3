/** Which ranges of the log are to be read: it lies in a feed for each bucket and lane. */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { type FeedRange, listFeedEnds, type Position, rangesBetween } from '../feeds.ts';

/** An event may be at most five minutes ahead of its arrival. */
const mostAheadMs = 5 * 60_000;

const hourMs = 3_600_000;

/** Everything that is stored now beyond a position. */
export async function listEventRanges(db: Database, since: Position = {}): Promise<FeedRange[]> {
  return rangesBetween(since, await listFeedEnds(db, 'events', await listBuckets(db)));
}

/** The position after some ranges. */
export function positionAfter(ranges: readonly FeedRange[], since: Position = {}): Position {
  return {
    ...since,
    ...Object.fromEntries(ranges.map(({ bucket, lane, until }) => [`${bucket}.${lane}`, until])),
  };
}

/** From the beginnings to a position. */
export function rangesUpTo(position: Position): FeedRange[] {
  return Object.entries(position).map(([key, until]) => {
    const [bucket, lane] = key.split('.').map(Number);
    return { bucket, lane, since: 0, until };
  });
}

const firstText = 'select first_event_since($1, $2, $3, $4) as "first"';

/** What arrived of an environment at a moment or later. */
export async function rangesArrivedSince(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  moment: Date,
): Promise<FeedRange[]> {
  const found: FeedRange[] = [];
  for (const range of ranges) {
    const values = [range.bucket, environment, range.lane, moment];
    const [{ first }] = await query<{ first: string | null }>(
      db,
      {
        name: 'first-event-since',
        text: firstText,
        values,
      },
      { first: 'text?' },
    );
    if (first === null || Number(first) > range.until) continue;
    found.push({ ...range, since: Math.max(range.since, Number(first) - 1) });
  }
  return found;
}

export type NewestEvents = {
  ranges: FeedRange[];
  /** Earlier events within the ranges do not belong; undefined when all do. */
  occurredSince: Date | undefined;
  /** What is beyond it was not looked at. */
  until: Position;
};

/** Where an environment's newest events lie, about `most` of them by their own time, however busy the others are. */
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

const hoursStatement = `
select hour, sum(events) as count from metric_totals
where bucket = any($1) and environment = $2 and dimension = 0 and events is not null
group by hour order by hour desc`;

/** The beginning of the hour from which on there are as many; undefined when there are fewer. */
async function findMomentOfNewest(
  db: Database,
  environment: string,
  most: number,
): Promise<Date | undefined> {
  const values = [await listBuckets(db), environment];
  const rows = await query<{ hour: number; count: number }>(
    db,
    { name: '', text: hoursStatement, values },
    { hour: 'int4', count: 'float8' },
  );
  let count = 0;
  for (const row of rows) {
    count += row.count;
    if (count >= most) return new Date(row.hour * hourMs);
  }
  return undefined;
}

const countStatement = `
select count(*) as count from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5`;

const skipStatement = `
select number from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
order by number offset $6 limit 1`;

/** The same without their beginnings, in equal shares, when they hold more of the environment's events. */
export async function limitRanges(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  most: number,
): Promise<FeedRange[]> {
  const longest = ranges.reduce((sum, { since, until }) => sum + until - since, 0);
  if (longest <= most) return [...ranges];
  const valuesOf = ({ bucket, lane, since, until }: FeedRange) => [bucket, environment, lane, since, until];
  const counts: number[] = [];
  for (const range of ranges) {
    const statement = { name: 'count-events', text: countStatement, values: valuesOf(range) };
    counts.push((await query<{ count: number }>(db, statement, { count: 'int8' }))[0].count);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= most) return [...ranges];
  const limited: FeedRange[] = [];
  for (const [i, range] of ranges.entries()) {
    const skipped = counts[i] - Math.floor((counts[i] * most) / total);
    const values = [...valuesOf(range), skipped];
    const [first] = await query<{ number: number }>(
      db,
      { name: 'skip-events', text: skipStatement, values },
      { number: 'int8' },
    );
    if (first) limited.push({ ...range, since: first.number - 1 });
  }
  return limited;
}

/** Numbers a window: a second or so of reading, so far from the timeout of a statement even on a busy machine. */
const windowSize = 250_000;

/** Long ranges are read in windows, each a statement of its own: none runs for long. */
export function* windowsOf(ranges: readonly FeedRange[], size = windowSize): Generator<FeedRange> {
  for (const { bucket, lane, since, until } of ranges)
    for (let start = since; start < until; start += size)
      yield { bucket, lane, since: start, until: Math.min(until, start + size) };
}

const arrivalStatement = `
select received_at as "receivedAt" from events
where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
order by number limit 1`;

/** When the first event of the ranges arrived; undefined when they hold none. */
export async function findFirstArrival(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
): Promise<Date | undefined> {
  const moments: number[] = [];
  for (const { bucket, lane, since, until } of ranges) {
    const values = [bucket, environment, lane, since, until];
    const statement = { name: 'find-first-arrival', text: arrivalStatement, values };
    const [first] = await query<{ receivedAt: Date }>(db, statement, { receivedAt: 'timestamptz' });
    if (first) moments.push(first.receivedAt.getTime());
  }
  return moments.length === 0 ? undefined : new Date(Math.min(...moments));
}
