/** Reads the hourly counts of the busiest placements, as the dimension `list_name` has them. */
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { dimensionNames } from './metric-dimensions.ts';

/** Most placements that are read. */
export const mostPlacements = 100;

/** @property hour Hours since 1970, UTC. */
export type PlacementHour = { placement: string; hour: number } & Record<
  'impressions' | 'clicks' | 'requests' | 'recommendation_sets',
  number
>;

const dimension = dimensionNames.indexOf('list_name') + 1;

const ofEnvironment = `metric_totals where bucket = any($1) and environment = $2 and dimension = ${dimension}
  and hour >= $3 and hour < $4`;

const statement = `
with busiest as materialized (
  select value from ${ofEnvironment} and value <> '' group by value
  order by sum(coalesce(impressions, 0) + coalesce(requests, 0)) desc, value limit ${mostPlacements})
select value as placement, hour, coalesce(sum(impressions), 0) as impressions, coalesce(sum(clicks), 0) as clicks,
  coalesce(sum(requests), 0) as requests, coalesce(sum(recommendation_sets), 0) as recommendation_sets
from ${ofEnvironment} and value in (select value from busiest) group by 1, 2 order by 2`;

/** Lists the hours with counts in [fromHour, toHour), in order. */
export async function listPlacementHours(
  db: Database,
  environment: string,
  { fromHour, toHour }: { fromHour: number; toHour: number },
): Promise<PlacementHour[]> {
  const values = [await listBuckets(db), environment, fromHour, toHour];
  return query<PlacementHour>(db, '', statement, values);
}
