/** Reads hourly counts in any grouping. */
import pg from 'pg';
import { DomainError } from '../../errors.ts';
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import {
  type DimensionName,
  dimensionNames,
  everyGrouping,
  type GroupName,
  maskOf,
  propertyOf,
} from './metric-dimensions.ts';
import { type Measure, millionths } from './metric-measures.ts';

export type CountQuery = {
  measures: readonly Measure[];
  /** Hours since 1970, [from, to). */
  fromHour: number;
  toHour: number;
  /** Sums all hours; rows have the hour 0 [false]. */
  isSummed?: boolean;
  /** Absent: all environments together. */
  environment?: string;
  /** By environment: earlier hours are ignored. Absent environments have no limit. */
  firstHours?: ReadonlyMap<string, number>;
  groupBy: readonly GroupName[];
  /** Filters by these values; an empty string matches events without a value. */
  where: Partial<Record<GroupName, string>>;
};

export type CountRow = {
  measure: Measure;
  hour: number;
  /** Values of the query's `groupBy`, in its order. */
  group: string[];
  value: number;
};

/** Maximum counts of a response. Larger queries fail, since a partial response would be wrong. */
const mostCountRows = 200_000;

/**
 * Lists nonzero counts. Across environments, a distinct key counts once in each. The statements are
 * not prepared, since they differ by measures and their number has no bound.
 */
export async function listCounts(
  db: Database,
  request: CountQuery,
  mostRows: number = mostCountRows,
): Promise<CountRow[]> {
  const { groupBy, where } = request;
  if (isForgotten(request)) return [];
  const names = [...groupBy, ...filtersOf(where).map(([name]) => name)];
  const asked = maskOf(names.filter(isPartOfGroupings));
  const single = dimensionNames.findIndex((_, place) => asked === 1 << place);
  const isTotalled = names.every(isPartOfGroupings) && (asked === 0 || single >= 0);
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

const isPartOfGroupings = (name: GroupName): name is DimensionName => propertyOf(name) === undefined;

const filtersOf = (where: CountQuery['where']) =>
  (Object.entries(where) as [GroupName, string | undefined][]).filter(([, value]) => value !== undefined);

/** Returns the value of a combination: of a segment from their JSON. */
function columnOf(name: GroupName): string {
  const property = propertyOf(name);
  if (property === undefined) return name;
  return `coalesce(nullif(segments, '')::jsonb ->> ${pg.escapeLiteral(property)}, '')`;
}

/** Returns whether all requested hours are before the environment's first hour. */
function isForgotten({ environment, firstHours, toHour }: CountQuery): boolean {
  return environment !== undefined && (firstHours?.get(environment) ?? Number.NEGATIVE_INFINITY) >= toHour;
}

function isKept({ environment, firstHours = new Map() }: CountQuery, place: number): [string, unknown[]] {
  const wanted = [...firstHours].filter(([name]) => environment === undefined || name === environment);
  if (wanted.length === 0) return ['true', []];
  const condition = `hour >= coalesce(($${place}::jsonb ->> environment)::int, hour)`;
  return [condition, [JSON.stringify(Object.fromEntries(wanted))]];
}

type StoredRow = { hour: number; group: string[] } & Partial<Record<Measure, number | null>>;
type TotalRow = Omit<StoredRow, 'group'> & { value: string };

/**
 * Reads a row for each hour and value of the dimension, or for each hour, summed over the buckets.
 * @param place Index of the dimension; -1 for the total.
 */
async function readTotals(
  db: Database,
  request: CountQuery,
  { place, mostRows }: { place: number; mostRows: number },
): Promise<StoredRow[]> {
  const { measures, fromHour, toHour, environment, groupBy, where, isSummed } = request;
  const value = groupBy.length > 0 ? 'value' : `''`;
  const [kept, firstHours] = isKept(request, 7);
  const text = `
    select ${isSummed ? 0 : 'hour'} as hour, ${value} as value, ${measures.map((name) => `sum(${name}) as ${name}`).join(', ')}
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
  const rows = await query<TotalRow>(db, '', text, values);
  return rows.map(({ value, ...row }) => ({ ...row, group: groupBy.length > 0 ? [value] : [] }) as StoredRow);
}

/**
 * Sums combinations that have equal values in the grouping's dimensions.
 *
 * Reads the rows of the hours once. Adding zero to the combination id disables its index, with
 * which Postgres scans all hours for each combination: for a hundred in a year, it never finished.
 */
async function readCombinations(
  db: Database,
  request: CountQuery,
  { asked, mostRows }: { asked: number; mostRows: number },
): Promise<StoredRow[]> {
  const { measures, fromHour, toHour, environment, groupBy, where, isSummed } = request;
  const filters = filtersOf(where);
  const [kept, firstHours] = isKept(request, 6 + filters.length);
  const text = `
    with wanted as materialized (
      select distinct dimension_id, environment, array[${groupBy.map(columnOf).join(', ')}]::text[] as values from metric_dimensions
      where bucket = any($1) and ($2::text is null or environment = $2)
        ${filters.map(([name], place) => `and ${columnOf(name)} = $${place + 6}`).join(' ')}
    ),
    numbered as materialized (select dimension_id, dense_rank() over (order by values) as place, environment, values from wanted),
    summed as (
      select ${isSummed ? 0 : 'hour'} as hour, place, ${measures.map((name) => `sum(${name}) as ${name}`).join(', ')}
      from metric_hours join numbered on numbered.dimension_id = metric_hours.dimension_id + 0
      where bucket = any($1) and hour >= $3 and hour < $4
        and (counted = ${everyGrouping} or (counted >> $5::int) & 1 = 1) and ${kept} and ${isAny(measures)}
      group by 1, 2 limit ${mostRows + 1}
    )
    select summed.*, values as group from summed join (select distinct place, values from numbered) as places using (place)`;
  const values = [
    await listBuckets(db),
    environment ?? null,
    fromHour,
    toHour,
    asked,
    ...filters.map(([, value]) => value),
    ...firstHours,
  ];
  return query<StoredRow>(db, '', text, values);
}

function tooMany(mostRows: number): DomainError {
  const detail = `The answer has more than ${mostRows} values; ask for a shorter time, fewer groups or fewer metrics.`;
  return new DomainError('BODY_INVALID', detail, {
    metadata: { limit: String(mostRows) },
    violations: [{ pointer: '/start_time', detail }],
  });
}

/** Builds a condition that skips rows without counts, which have null columns. */
function isAny(measures: readonly Measure[]): string {
  return `(${measures.map((name) => `${name} is not null`).join(' or ')})`;
}
