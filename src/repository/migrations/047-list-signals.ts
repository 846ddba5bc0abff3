import { type Kysely, sql } from 'kysely';

/**
 * Sums over served lists of the freshness of their newest item and of the score of their first one,
 * in millionths; earlier hours stay without them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['metric_hours', 'metric_totals'])
    await sql`alter table ${sql.table(table)} add column list_freshness double precision,
      add column list_scores double precision`.execute(db);
}
