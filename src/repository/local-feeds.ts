/**
 * Feeds of small tables that are never distributed: one counter each, locked until the commit, so numbers
 * are in the order of commit (feeds.ts).
 */
import { sql } from 'kysely';

type LocalFeed = 'configurations' | 'search_clicks' | 'completions' | 'deletions';

/** A part of a `with` that takes the next numbers of a feed; `taken.last` is the last of them. */
export function nextLocalNumbers(feed: LocalFeed, amount: number) {
  return sql`taken as materialized (
    insert into local_feeds as known (feed, last) values (${feed}, ${amount}::bigint)
    on conflict (feed) do update set last = known.last + excluded.last
    returning last
  )`;
}
