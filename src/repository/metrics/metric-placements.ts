/** Reads the hourly counts of the busiest placements, as the dimension `list_name` has them. */
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { dimensionNames } from './metric-dimensions.ts';
import { type Measure, millionths } from './metric-measures.ts';

/** Most placements that are read. */
const mostPlacements = 100;

const sums = [
  ...(['impressions', 'clicks', 'requests', 'recommendation_sets'] as const),
  ...(['list_freshness', 'list_scores', 'search_requests', 'searches_without_results'] as const),
] as const satisfies readonly Measure[];

/** @property placement Empty for the whole environment. @property hour Hours since 1970, UTC. */
export type PlacementHour = { placement: string; hour: number } & Record<(typeof sums)[number], number>;

const dimension = dimensionNames.indexOf('list_name') + 1;

const ofEnvironment = `metric_totals where bucket = any($1) and environment = $2 and hour >= $3 and hour < $4`;

const sumOf = (name: Measure) =>
  `coalesce(sum(${name}), 0)${millionths.has(name) ? ' / 1e6' : ''} as ${name}`;

const statement = `
with busiest as materialized (
  select value from ${ofEnvironment} and dimension = ${dimension} and value <> '' group by value
  order by sum(coalesce(impressions, 0) + coalesce(requests, 0)) desc, value limit ${mostPlacements})
select value as placement, hour, ${sums.map(sumOf).join(', ')}
from ${ofEnvironment} and (dimension = 0 or (dimension = ${dimension} and value in (select value from busiest)))
group by 1, 2 order by 2`;

/** Lists the hours with counts in [fromHour, toHour), in order. */
export async function listPlacementHours(
  db: Database,
  environment: string,
  { fromHour, toHour }: { fromHour: number; toHour: number },
): Promise<PlacementHour[]> {
  const values = [await listBuckets(db), environment, fromHour, toHour];
  return query<PlacementHour>(db, '', statement, values);
}
