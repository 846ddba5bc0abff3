/**
 * Feeds: ordered logs of changes that a follower reads without losing a row.
 *
 * A counter numbers the rows of a feed and is locked until the commit (sql/next-numbers.sql):
 * a reader that sees number 7 sees all before it. So a follower remembers one offset a feed and
 * reads the rows above it, each once, however long a transaction stays open and whether or not the
 * database was restored.
 */

import { sql } from 'kysely';
import { type Database, query, queryRaw } from './database.ts';

export type FeedEnd = { bucket: number; lane: number; last: number };

const endsStatement = `
select bucket, lane, last from feeds where bucket = any($1) and feed = $2 order by bucket, lane`;

/** Lists the ends of all counters of a kind of feed; a counter that was never used is absent. */
export function listFeedEnds(
  db: Database,
  feed: 'changes' | 'events' | 'items',
  buckets: readonly number[],
): Promise<FeedEnd[]> {
  return query<FeedEnd>(db, 'list-feed-ends', endsStatement, [buckets, feed]);
}

/** Returns the last number of each bucket, 0 where there is none. */
export function endsOf(ends: readonly FeedEnd[], bucketCount: number): number[] {
  const numbers = new Array<number>(bucketCount).fill(0);
  for (const { bucket, last } of ends) numbers[bucket] = last;
  return numbers;
}

/** A follower's offsets: `bucket.lane` to the last number read. JSON. */
export type Position = Record<string, number>;

export const positionKey = ({ bucket, lane }: Pick<FeedEnd, 'bucket' | 'lane'>): string =>
  `${bucket}.${lane}`;

export function positionOf(ends: readonly FeedEnd[]): Position {
  return Object.fromEntries(ends.map((end) => [positionKey(end), end.last]));
}

/** A part of one feed. `since` is exclusive, `until` inclusive. */
export type FeedRange = { bucket: number; lane: number; since: number; until: number };

/** Returns the ranges between two positions, without empty ones. */
export function rangesBetween(since: Position, ends: readonly FeedEnd[]): FeedRange[] {
  return ends
    .map(({ bucket, lane, last }) => ({
      ...{ bucket, lane },
      since: since[positionKey({ bucket, lane })] ?? 0,
      until: last,
    }))
    .filter((range) => range.since < range.until);
}

/** Feeds of small tables that are never distributed: one counter each. */
type LocalFeed =
  | 'blocked_queries'
  | 'completions'
  | 'configurations'
  | 'deletions'
  | 'experiments'
  | 'pages'
  | 'search_clicks'
  | 'synonyms'
  | 'views';

/** Returns a part of a `with` that takes the next numbers of a feed; `taken.last` is the last of them. */
export function nextLocalNumbers(feed: LocalFeed, amount: number) {
  return sql`taken as materialized (
    insert into local_feeds as known (feed, last) values (${feed}, ${amount}::bigint)
    on conflict (feed) do update set last = known.last + excluded.last
    returning last
  )`;
}

/** Returns a number that no other call on any node gets, for identifiers of completions. */
export async function claimNodeStart(db: Database): Promise<number> {
  const statement = sql`with ${nextLocalNumbers('completions', 1)} select last from taken`;
  return (await queryRaw<{ last: number }>(db, statement))[0].last;
}

/** Returns the last number that was given, 0 before the first. */
export async function findLastLocalNumber(db: Database, feed: LocalFeed): Promise<number> {
  const known = db.kysely.selectFrom('local_feeds').select('last').where('feed', '=', feed);
  return (await known.executeTakeFirst())?.last ?? 0;
}
