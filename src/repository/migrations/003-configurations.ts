import { type Kysely, sql } from 'kysely';

/**
 * The current configurations, and every version that ever was, numbered in the order of commit;
 * versions go on counting after a deletion.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table configurations (
      configuration_id text collate "C" primary key,
      version integer not null,
      deleted boolean not null,
      document json,
      updated_at timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table configuration_versions (
      configuration_id text collate "C" not null,
      version integer not null,
      document json,
      created_at timestamptz not null default now(),
      client_id text,
      comment text,
      number bigint not null unique,
      primary key (configuration_id, version)
    )`.execute(db);
}
