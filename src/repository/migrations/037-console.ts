import { type Kysely, sql } from 'kysely';

/**
 * The latest typed form of a counted query, absent until it is searched again, and drafts of
 * configurations: one for each, as text, since a draft need not be valid.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table search_queries add column typed text collate "C"`.execute(db);
  await sql`
    create table configuration_drafts (
      configuration_id text collate "C" primary key,
      text text not null,
      base_version integer not null,
      revision integer not null,
      client_id text,
      updated_at timestamptz not null default now()
    )`.execute(db);
}
