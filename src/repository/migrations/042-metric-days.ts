import { type Kysely, sql } from 'kysely';

/**
 * Sums by calendar day and item, query, rank or row, and how far the log was counted. A click keeps
 * the request of its search, so that a purchase counts for the query.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table metric_days (
      environment text collate "C" not null,
      dimension text collate "C" not null,
      day integer not null,
      item_type text collate "C" not null,
      value text collate "C" not null,
      searches double precision not null default 0,
      searches_without_results double precision not null default 0,
      corrected_searches double precision not null default 0,
      clicked_searches double precision not null default 0,
      impressions double precision not null default 0,
      clicks double precision not null default 0,
      ranked_clicks double precision not null default 0,
      rank_sum double precision not null default 0,
      purchases double precision not null default 0,
      purchased_items double precision not null default 0,
      revenue double precision not null default 0,
      primary key (environment, dimension, day, item_type, value)
    ) with (fillfactor = 80)`.execute(db);
  await sql`
    create table metric_days_progress (
      environment text collate "C" primary key,
      counted_until json not null
    )`.execute(db);
  await sql`alter table metric_clicks add column search_id text collate "C"`.execute(db);
}
