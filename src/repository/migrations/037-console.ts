import { type Kysely, sql } from 'kysely';

/** The latest typed form of a counted query; absent until it is searched again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table search_queries add column typed text collate "C"`.execute(db);
}
