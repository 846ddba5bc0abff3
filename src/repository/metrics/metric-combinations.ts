/** Reads the stored combinations of dimension values. */
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { combinationColumns, type DimensionValues } from './metric-dimensions.ts';

const findStatement = `
select distinct dimension_id as "dimensionId" from metric_dimensions
where bucket = any($1) and dimension_id = any($2::bigint[])`;

/** Returns the ids that are stored in any bucket. */
export async function findStoredCombinations(db: Database, ids: readonly number[]): Promise<Set<number>> {
  const rows = await query<{ dimensionId: number }>(db, 'find-combinations', findStatement, [
    await listBuckets(db),
    ids,
  ]);
  return new Set(rows.map(({ dimensionId }) => dimensionId));
}

const recentStatement = `
select distinct environment, array[${combinationColumns.join(', ')}]::text[] as values
from metric_dimensions
where bucket = any($1) and (bucket, dimension_id) in (
  select bucket, dimension_id from metric_hours where bucket = any($1) and hour >= $2)
limit $3`;

export type StoredCombination = { environment: string; values: DimensionValues };

/** Lists up to `limit` combinations that were counted since an hour. */
export async function listRecentCombinations(
  db: Database,
  { sinceHour, limit }: { sinceHour: number; limit: number },
): Promise<StoredCombination[]> {
  const values = [await listBuckets(db), sinceHour, limit];
  return query<{ environment: string; values: string[] }>(db, '', recentStatement, values);
}
