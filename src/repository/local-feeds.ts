/**
 * Feeds of small tables that are never distributed: one counter each, locked until the commit, so numbers
 * are in the order of commit (feeds.ts).
 */
import { sql } from 'kysely';
import type { Database } from './database.ts';

type LocalFeed =
  | 'blocked_queries'
  | 'completions'
  | 'configurations'
  | 'deletions'
  | 'search_clicks'
  | 'synonyms';

/** A part of a `with` that takes the next numbers of a feed; `taken.last` is the last of them. */
export function nextLocalNumbers(feed: LocalFeed, amount: number) {
  return sql`taken as materialized (
    insert into local_feeds as known (feed, last) values (${feed}, ${amount}::bigint)
    on conflict (feed) do update set last = known.last + excluded.last
    returning last
  )`;
}

/** The last number that was given; 0 before the first. */
export async function findLastLocalNumber(db: Database, feed: LocalFeed): Promise<number> {
  const known = db.kysely.selectFrom('local_feeds').select('last').where('feed', '=', feed);
  return (await known.executeTakeFirst())?.last ?? 0;
}
