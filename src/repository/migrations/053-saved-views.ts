import { type Kysely, sql } from 'kysely';

/** Saved views of metrics. Every change, a deletion too, takes a number of the feed `views`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table saved_views (
      environment text collate "C" not null,
      view_id text collate "C" not null,
      document json not null,
      updated_at timestamptz not null default now(),
      number bigint not null unique,
      client_id text,
      primary key (environment, view_id)
    )`.execute(db);
}
