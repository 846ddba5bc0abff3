/** Reads the hourly counts, in any grouping. */
import { DomainError } from '../../errors.ts';
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { type DimensionName, dimensionNames, everyGrouping, maskOf } from './metric-dimensions.ts';
import { type Measure, millionths } from './metric-measures.ts';

export type CountQuery = {
  measures: readonly Measure[];
  /** Hours since 1970, [from, to). */
  fromHour: number;
  toHour: number;
  /** Absent: all together. */
  environment?: string;
  /** By environment, before which nothing counts; one that is absent has no such hour. */
  firstHours?: ReadonlyMap<string, number>;
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

/** Counts of an answer at most; a query for more is refused, since a part of them would say something wrong. */
const mostCountRows = 200_000;

/**
 * What is zero has no row. A distinct count of several environments counts in each. The statements differ by what they sum, so they
 * are not prepared: their number has no bound.
 */
export async function listCounts(
  db: Database,
  request: CountQuery,
  mostRows: number = mostCountRows,
): Promise<CountRow[]> {
  const { groupBy, where } = request;
  if (isForgotten(request)) return [];
  const asked = maskOf([...groupBy, ...dimensionNames.filter((name) => where[name] !== undefined)]);
  const single = dimensionNames.findIndex((_, place) => asked === 1 << place);
  const isTotalled = asked === 0 || single >= 0;
  const rows = isTotalled
    ? await readTotals(db, request, { place: single, mostRows })
    : await readCombinations(db, request, { asked, mostRows });
  const counts: CountRow[] = [];
  for (const row of rows) {
    for (const measure of request.measures) {
      const value = row[measure];
      if (!value) continue;
      const { hour, group } = row;
      counts.push({ measure, hour, group, value: millionths.has(measure) ? value / 1e6 : value });
    }
  }
  if (rows.length > mostRows || counts.length > mostRows) throw tooMany(mostRows);
  return counts;
}

/** Whether all that is asked for lies before the environment's first hour. */
function isForgotten({ environment, firstHours, toHour }: CountQuery): boolean {
  return environment !== undefined && (firstHours?.get(environment) ?? Number.NEGATIVE_INFINITY) >= toHour;
}

/** A condition, and the first hours that it compares with: those of the environments that have one. */
function isKept({ environment, firstHours = new Map() }: CountQuery, place: number): [string, unknown[]] {
  const wanted = [...firstHours].filter(([name]) => environment === undefined || name === environment);
  if (wanted.length === 0) return ['true', []];
  const condition = `hour >= coalesce(($${place}::jsonb ->> environment)::int, hour)`;
  return [condition, [JSON.stringify(Object.fromEntries(wanted))]];
}

type StoredRow = { hour: number; group: string[] } & Partial<Record<Measure, number | null>>;
type TotalRow = Omit<StoredRow, 'group'> & { value: string };

const sumsOf = (measures: readonly Measure[]) =>
  Object.fromEntries(measures.map((name) => [name, 'float8?']));

/**
 * One row for each hour and value of the dimension, or of all together, summed over the buckets.
 * @param place Of the dimension; -1 for all together.
 */
async function readTotals(
  db: Database,
  request: CountQuery,
  { place, mostRows }: { place: number; mostRows: number },
): Promise<StoredRow[]> {
  const { measures, fromHour, toHour, environment, groupBy, where } = request;
  const value = groupBy.length > 0 ? 'value' : `''`;
  const [kept, firstHours] = isKept(request, 7);
  const text = `
    select hour, ${value} as value, ${measures.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from metric_totals
    where bucket = any($1) and ($2::text is null or environment = $2) and dimension = $3
      and hour >= $4 and hour < $5 and ($6::text is null or value = $6) and ${kept} and ${isAny(measures)}
    group by 1, 2 limit ${mostRows + 1}`;
  const wanted = place < 0 ? null : (where[dimensionNames[place]] ?? null);
  const values = [
    await listBuckets(db),
    environment ?? null,
    place + 1,
    fromHour,
    toHour,
    wanted,
    ...firstHours,
  ];
  const rows = await query(db, { name: '', text, values }, {
    hour: 'int4',
    value: 'text',
    ...sumsOf(measures),
  } as Shape<TotalRow>);
  return rows.map(({ value, ...row }) => ({ ...row, group: groupBy.length > 0 ? [value] : [] }) as StoredRow);
}

/**
 * A dimension that is not of the grouping is the same null for all; equal combinations share a place, which is summed by.
 *
 * The rows of the hours are read once. Adding zero hides their combination from the index: found by it, each combination has all
 * hours gone through again, which did not end for a year of a hundred.
 */
async function readCombinations(
  db: Database,
  request: CountQuery,
  { asked, mostRows }: { asked: number; mostRows: number },
): Promise<StoredRow[]> {
  const { measures, fromHour, toHour, environment, groupBy, where } = request;
  const [kept, firstHours] = isKept(request, 6 + dimensionNames.length);
  const text = `
    with wanted as materialized (
      select distinct dimension_id, environment, array[${groupBy.join(', ')}]::text[] as values from metric_dimensions
      where bucket = any($1) and ($2::text is null or environment = $2)
        ${dimensionNames.map((name, place) => `and ($${place + 6}::text is null or ${name} = $${place + 6})`).join(' ')}
    ),
    numbered as materialized (select dimension_id, dense_rank() over (order by values) as place, environment, values from wanted),
    summed as (
      select hour, place, ${measures.map((name) => `sum(${name}) as ${name}`).join(', ')}
      from metric_hours join numbered on numbered.dimension_id = metric_hours.dimension_id + 0
      where bucket = any($1) and hour >= $3 and hour < $4
        and (counted = ${everyGrouping} or (counted >> $5::int) & 1 = 1) and ${kept} and ${isAny(measures)}
      group by hour, place limit ${mostRows + 1}
    )
    select summed.*, values as group from summed join (select distinct place, values from numbered) as places using (place)`;
  const values = [
    await listBuckets(db),
    environment ?? null,
    fromHour,
    toHour,
    asked,
    ...dimensionNames.map((name) => where[name] ?? null),
    ...firstHours,
  ];
  return query(db, { name: '', text, values }, {
    hour: 'int4',
    place: 'int8',
    group: 'text[]',
    ...sumsOf(measures),
  } as Shape<StoredRow & { place: number }>);
}

function tooMany(mostRows: number): DomainError {
  const detail = `The answer has more than ${mostRows} values; ask for a shorter time, fewer groups or fewer metrics.`;
  return new DomainError('BODY_INVALID', detail, {
    metadata: { limit: String(mostRows) },
    violations: [{ pointer: '/start_time', detail }],
  });
}

/** Columns are null where nothing was counted. */
function isAny(measures: readonly Measure[]): string {
  return `(${measures.map((name) => `${name} is not null`).join(' or ')})`;
}
