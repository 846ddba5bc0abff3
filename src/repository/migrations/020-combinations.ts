import { type Kysely, sql } from 'kysely';

/** When a combination of names was stored first: an old one goes when nothing names it any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table metric_dimensions add column added_at timestamptz not null default now()`.execute(db);
}
