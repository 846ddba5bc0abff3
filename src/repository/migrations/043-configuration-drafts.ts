import { type Kysely, sql } from 'kysely';

/**
 * The draft of a configuration, with the environments that its document names; empty for all. A
 * deleted draft has no document and counts its revisions on, until it expires.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table configuration_drafts (
      configuration_id text collate "C" primary key,
      revision integer not null,
      base_version integer not null,
      document json,
      environments text[] not null,
      client_id text,
      updated_at timestamptz not null default now()
    )`.execute(db);
}
