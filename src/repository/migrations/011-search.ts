import { type Kysely, sql } from 'kysely';

/**
 * What searches taught: which queries are made and find nothing, and what their finders click, with
 * the place in the feed of events up to which that is known; and the search indexes as they were
 * saved last, in chunks, so that a start need not analyse every text again; chunk 0 comes last.
 *
 * `clickers` and `viewers` are the last visitors counted, four bytes each.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table search_queries (
      environment text collate "C" not null,
      query text collate "C" not null,
      fingerprint bigint not null,
      searches integer not null,
      without_results integer not null,
      weight double precision not null,
      first_searched_at timestamptz not null default now(),
      last_searched_at timestamptz not null default now(),
      primary key (environment, query)
    ) with (fillfactor = 70)`.execute(db);
  await sql`create index search_queries_fingerprint on search_queries (environment, fingerprint)`.execute(db);
  await sql`
    create table search_clicks (
      environment text collate "C" not null,
      fingerprint bigint not null,
      item_type text collate "C" not null,
      item_id text collate "C" not null,
      clicks double precision not null,
      views double precision not null,
      counted_at timestamptz not null,
      clickers bytea not null,
      viewers bytea not null,
      number bigint not null unique,
      primary key (environment, fingerprint, item_type, item_id)
    )`.execute(db);
  await sql`
    create table search_clicks_progress (
      environment text collate "C" primary key,
      events_until json not null
    )`.execute(db);
  await sql`
    create table search_snapshots (
      environment text collate "C" not null,
      save_id uuid not null,
      chunk integer not null,
      saved_at timestamptz not null default now(),
      bytes bytea not null,
      primary key (environment, save_id, chunk)
    )`.execute(db);
  await sql`alter table search_snapshots alter column bytes set storage external`.execute(db);
}
