import { type Kysely, sql } from 'kysely';

/** Facts about the whole installation, such as "the demo's data is loaded". */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table settings (key text collate "C" primary key, value json not null)`.execute(db);
}
