import { type Kysely, sql } from 'kysely';

/**
 * The group of an event's item, where its items stand for one another, such as the variants of a
 * product. Clicks and purchases of such an item lie under the group, in `item_id`, and name the
 * item itself in `variant_id`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column item_group text collate "C"`.execute(db);
  for (const table of ['metric_clicks', 'metric_purchases'])
    await sql`alter table ${sql.table(table)} add column variant_id text collate "C"`.execute(db);
}
