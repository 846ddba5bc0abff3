import { type Kysely, sql } from 'kysely';

/** Comments on a draft, oldest first: comment_id, client_id, text and created_at. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table configuration_drafts add column comments jsonb not null default '[]'`.execute(db);
}
