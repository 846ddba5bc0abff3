import { type Kysely, sql } from 'kysely';

/** Segments of a combination of names, as JSON by property; empty without any. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table metric_dimensions add column segments text collate "C" not null default ''`.execute(
    db,
  );
}
