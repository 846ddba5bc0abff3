import { type Kysely, sql } from 'kysely';

/** Recommendation lists that were answered, kept for reading page by page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table lists (
      environment text collate "C" not null,
      list_key text collate "C" not null,
      expires_at timestamptz not null,
      payload text not null,
      primary key (environment, list_key)
    )`.execute(db);
  await sql`create index lists_expires_at on lists (expires_at)`.execute(db);
}
