import { type Kysely, sql } from 'kysely';

/**
 * Words and phrases whose queries are suggested to nobody, one list per environment. Every change
 * takes a number of the feed `blocked_queries`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table blocked_queries (
      environment text collate "C" primary key,
      phrases text[] not null,
      updated_at timestamptz not null default now(),
      number bigint not null
    )`.execute(db);
}
