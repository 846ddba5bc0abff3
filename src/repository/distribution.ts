/**
 * Distributes the large tables of a database with the Citus extension by bucket, and the functions
 * that work on one bucket to the servers of the bucket. Other tables are small and stay on the
 * coordinator.
 */

import type pg from 'pg';
import { queryOn } from './database.ts';
import { listFunctions } from './functions.ts';

/** Tables with a column `bucket` that every unique index begins with. */
export const distributedTables = [
  'events',
  'event_ids',
  'event_claims',
  'changes',
  'feeds',
  'folded',
  'handovers',
  'histories',
  'items',
  'lists',
  'batch_parts',
  'recorded_requests',
  'metric_clicks',
  'metric_devices',
  'metric_dimensions',
  'metric_exposures',
  'metric_hours',
  'metric_keys',
  'metric_purchases',
  'metric_served',
  'metric_totals',
  'typed_queries',
] as const;

/** The first table; the others are placed with it. */
const [anchor] = distributedTables;

export async function isCluster(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`);
  return rowCount === 1;
}

export async function distributeTables(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  for (const table of await listUndistributed(client)) {
    const options = table === anchor ? '' : `, colocate_with => '${anchor}'`;
    await client.query(`select create_distributed_table('${table}', 'bucket'${options})`);
  }
}

async function listUndistributed(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const text = `
    select name from unnest($1::text[]) with ordinality as wanted(name, place)
    where to_regclass(name) is not null
      and not exists (select from pg_dist_partition where logicalrelid = to_regclass(name)) order by place`;
  const rows = await queryOn<{ name: string }>(client, text, [distributedTables]);
  return rows.map(({ name }) => name);
}

/** Copies the functions to the workers, which run those of their buckets. */
export async function distributeFunctions(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  for (const { signature, isOfBucket } of listFunctions(true)) {
    const place = isOfBucket ? `, 'at_bucket', colocate_with => '${anchor}'` : '';
    await client.query(`select create_distributed_function('${signature}'${place})`);
  }
}
