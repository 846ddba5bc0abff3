import { type Kysely, sql } from 'kysely';

/** A measure of negative interactions, such as dislikes. Earlier hours stay without it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['metric_hours', 'metric_totals'])
    await sql`alter table ${sql.table(table)} add column negative_interactions double precision`.execute(db);
}
