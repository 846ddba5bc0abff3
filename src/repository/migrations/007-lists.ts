import { type Kysely, sql } from 'kysely';

/**
 * Recommendation lists that were answered, kept for reading page by page; and a sample of the latest
 * requests of each environment, for trying drafts of configurations on them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table lists (
      bucket integer not null,
      environment text collate "C" not null,
      list_key text collate "C" not null,
      expires_at timestamptz not null,
      payload text not null,
      primary key (bucket, environment, list_key)
    )`.execute(db);
  await sql`create index lists_expires_at on lists (bucket, expires_at)`.execute(db);
  await sql`
    create table recorded_requests (
      bucket integer not null,
      environment text collate "C" not null,
      recorded_at timestamptz not null,
      request_key uuid not null,
      request json not null,
      primary key (bucket, environment, recorded_at, request_key)
    )`.execute(db);
}
