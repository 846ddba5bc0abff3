import { type Kysely, sql } from 'kysely';

/** Test questions answered within the first 20 items, for a verdict in plain words. Earlier trainings stay without. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table trainings add column hit_count integer, add column served_hit_count integer`.execute(
    db,
  );
}
