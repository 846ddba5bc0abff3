/** Reads the hourly counts, in any grouping. */
import { type Database, query } from './database.ts';
import { type DimensionName, dimensionNames, everyGrouping, maskOf } from './metric-dimensions.ts';
import { type Measure, measures, millionths } from './metric-measures.ts';

export type CountQuery = {
  measures: readonly Measure[];
  /** Hours since 1970, [from, to). */
  fromHour: number;
  toHour: number;
  /** Absent: all together. */
  environment?: string;
  groupBy: readonly DimensionName[];
  /** Only what has these values; the empty one is what has none. */
  where: Partial<Record<DimensionName, string>>;
};

export type CountRow = {
  measure: Measure;
  hour: number;
  /** Of the query's `groupBy`, in its order. */
  group: string[];
  value: number;
};

/** Rows read at most; a larger answer is of no use to anybody. */
export const mostCountRows = 200_000;

const measureNames = new Map(
  Object.entries(measures).map(([name, number]) => [number as number, name as Measure]),
);

/** What is zero has no row. A distinct count of several environments counts in each. */
export async function listCounts(db: Database, request: CountQuery): Promise<CountRow[]> {
  const { groupBy, where } = request;
  const filtered = dimensionNames.filter((name) => where[name] !== undefined);
  const values: unknown[] = [
    request.measures.map((name) => measures[name]),
    request.fromHour,
    request.toHour,
  ];
  const isTotal = groupBy.length + filtered.length === 0;
  values.push(request.environment ?? null);
  if (!isTotal) {
    values.push(maskOf([...groupBy, ...filtered]), maskOf(groupBy));
    values.push(...dimensionNames.map((name) => where[name] ?? null));
  }
  const rows = await query<StoredRow>(db, { ...(isTotal ? totalStatement : groupedStatement), values });
  const places = groupBy.map((name) => dimensionNames.indexOf(name));
  return rows.map(({ metric, hour, value, group }) => {
    const measure = measureNames.get(metric)!;
    return {
      measure,
      hour,
      group: places.map((place) => group[place]!),
      value: millionths.has(measure) ? value / 1e6 : value,
    };
  });
}

type StoredRow = { metric: number; hour: number; value: number; group: (string | null)[] };

const range = 'metric = any($1::smallint[]) and hour >= $2::int and hour < $3::int';

/**
 * Most counts count in every grouping. Saying so lets the planner know that most rows fit, so that it sums by hashing instead of sorting on
 * disk: a year of hours by ten combinations in half the time.
 */
const counts = `${range} and (counted = ${everyGrouping} or (counted >> $5::int) & 1 = 1)`;

const totalStatement = {
  name: 'list-total-counts',
  text: `
select metric, hour, '{}'::text[] as group, sum(value) as value from metric_totals
where ${range} and ($4::text is null or environment = $4)
group by metric, hour having sum(value) <> 0 limit ${mostCountRows}`,
};

/** One statement for all groupings: a dimension that is not of the grouping is the same null for all. */
const groupedStatement = {
  name: 'list-counts',
  text: `
with wanted as materialized (
  select dimension_id,
    array[${dimensionNames.map((name, i) => `case when $6::int & ${1 << i} <> 0 then ${name} end`).join(', ')}] as values
  from metric_dimensions
  where ($4::text is null or environment = $4)
    ${dimensionNames.map((name, i) => `and ($${i + 7}::text is null or ${name} = $${i + 7})`).join(' ')}
),
numbered as materialized (select dimension_id, dense_rank() over (order by values) as place, values from wanted),
summed as (
  select metric, hour, place, sum(value) as value from metric_hours join numbered using (dimension_id)
  where ${counts} group by metric, hour, place having sum(value) <> 0 limit ${mostCountRows}
)
select metric, hour, value, values as group
from summed join (select distinct place, values from numbered) as places using (place)`,
};
