import { type Kysely, sql } from 'kysely';

/**
 * Definitions of pages. Every change, a deletion too, takes a number of the feed `pages`. Synonyms,
 * which are stored by the same statements, gain the client that wrote them; earlier ones stay without.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pages (
      environment text collate "C" not null,
      page_id text collate "C" not null,
      document json not null,
      updated_at timestamptz not null default now(),
      number bigint not null unique,
      client_id text,
      primary key (environment, page_id)
    )`.execute(db);
  await sql`alter table search_synonyms add column client_id text`.execute(db);
}
