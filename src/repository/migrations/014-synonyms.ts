import { type Kysely, sql } from 'kysely';

/**
 * Synonyms that were set while the service runs. Every change, a deletion too, takes a number of the
 * feed `synonyms`, so a number is never that of two writes; followers read the table when the feed moved.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table search_synonyms (
      environment text collate "C" not null,
      synonym_id text collate "C" not null,
      document json not null,
      updated_at timestamptz not null default now(),
      number bigint not null unique,
      primary key (environment, synonym_id)
    )`.execute(db);
}
