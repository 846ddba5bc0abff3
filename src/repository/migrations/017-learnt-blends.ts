import { type Kysely, sql } from 'kysely';

/** What each training learnt about blending its models. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table trainings add column learnt_blend json`.execute(db);
}
