/**
 * Distributes the large tables of a database with the Citus extension by bucket, and the functions
 * that work on one bucket to the servers of the bucket. Other tables are small and stay on the
 * coordinator.
 */

import type pg from 'pg';
import { queryOn } from './database.ts';
import { listFunctions } from './functions.ts';
import { tables } from './schema.ts';

/** The first table; the others are placed with it. */
const anchor = 'events';

/** Tables with a column `bucket`, which every unique index begins with. */
export const distributedTables: readonly string[] = [
  anchor,
  ...Object.entries(tables)
    .filter(([name, columns]) => name !== anchor && 'bucket' in columns)
    .map(([name]) => name),
];

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
