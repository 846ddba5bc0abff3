import { type Kysely, sql } from 'kysely';

/**
 * What a user or device has consumed beyond the entries that their history keeps, each once: it must
 * not be recommended to them again, however long ago it was. It changes when a history is cut, which
 * is every hundred entries of those who have hundreds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table histories add column consumed text collate "C" not null default ''`.execute(db);
}
