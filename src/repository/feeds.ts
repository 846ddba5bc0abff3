/**
 * Following a table without losing a row, whatever else happens in the database.
 *
 * The rows of a feed are numbered by a counter of their bucket that is locked until the commit
 * (functions/next-numbers.ts): who sees number 7 sees all before it. So a follower remembers one
 * number a feed and reads what is above it, each row once; a transaction that stays open for an hour
 * or a database that was restored from a dump changes nothing.
 */

import { type Database, query } from './database.ts';
import type { Shape } from './row-shape.ts';

/** A counter, and the last number that was given. */
export type FeedEnd = { bucket: number; lane: number; last: number };

const endsStatement = `
select bucket, lane, last from feeds where bucket = any($1) and feed = $2 order by bucket, lane`;

const endShape: Shape<FeedEnd> = { bucket: 'int4', lane: 'int4', last: 'int8' };

/** The ends of all counters of a kind of feed; one that was never used is absent. */
export async function listFeedEnds(
  db: Database,
  feed: 'events' | 'items',
  buckets: readonly number[],
): Promise<FeedEnd[]> {
  return query(db, { name: 'list-feed-ends', text: endsStatement, values: [buckets, feed] }, endShape);
}

/** The last number of each bucket, zero where there is none. */
export function endsOf(ends: readonly FeedEnd[], bucketCount: number): number[] {
  const numbers = new Array<number>(bucketCount).fill(0);
  for (const { bucket, last } of ends) numbers[bucket] = last;
  return numbers;
}

/** How far a follower has come: `bucket.lane` to the last number it has read. JSON. */
export type Position = Record<string, number>;

export const positionKey = ({ bucket, lane }: Pick<FeedEnd, 'bucket' | 'lane'>): string =>
  `${bucket}.${lane}`;

export function positionOf(ends: readonly FeedEnd[]): Position {
  return Object.fromEntries(ends.map((end) => [positionKey(end), end.last]));
}

/** A stretch of one feed. `since` is exclusive, `until` inclusive. */
export type FeedRange = { bucket: number; lane: number; since: number; until: number };

/** What lies between two positions, without what is empty. */
export function rangesBetween(since: Position, ends: readonly FeedEnd[]): FeedRange[] {
  return ends
    .map((end) => ({
      bucket: end.bucket,
      lane: end.lane,
      since: since[positionKey(end)] ?? 0,
      until: end.last,
    }))
    .filter((range) => range.since < range.until);
}
