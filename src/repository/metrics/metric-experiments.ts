/** Sums, squares and products over the devices of each experiment arm, for means and variances. */
import { CompiledQuery } from 'kysely';
import { listBuckets } from '../buckets.ts';
import { type Database, query, queryReadOnly } from '../database.ts';
import { deviceMeasures, millionths, rates } from './metric-measures.ts';

export const experimentMeasures = [
  ...deviceMeasures,
  'attributed_purchased_items',
  'attributed_revenue',
] as const;

export type ExperimentMeasure = (typeof experimentMeasures)[number];

export type ExperimentRate = keyof typeof rates;

/** Over the devices of an arm: of a measure, and of the same one before the first exposure. */
export type MeasureSums = {
  sum: number;
  squares: number;
  before: number;
  beforeSquares: number;
  both: number;
};

/** Products of part and whole: both after, both before, part after, whole after the first exposure. */
export type RateProducts = { after: number; before: number; part: number; whole: number };

export type ArmSums = {
  arm: string;
  /** Devices in this arm and no other. */
  deviceCount: number;
  sums: Record<ExperimentMeasure, MeasureSums>;
  /** `deviceCount` is the number of devices with a nonzero whole. */
  rates: Record<ExperimentRate, RateProducts & { deviceCount: number }>;
};

export type ExperimentQuery = {
  environment: string;
  dimension: 'version' | 'user_group';
  arms: readonly string[];
  /** Hours since 1970, [from, to). */
  fromHour: number;
  toHour: number;
  /** Hours before the first exposure of a device that count as before, for variance reduction [0]. */
  hoursBefore?: number;
};

/** Measures that are limited to this quantile of the devices that have any, over all arms. */
const winsorised: readonly ExperimentMeasure[] = ['revenue', 'attributed_revenue'];
const winsorisedAt = 0.99;

const scaled = (name: ExperimentMeasure, column: string = name) =>
  millionths.has(name) ? `${column} / 1e6` : column;

/** Earlier activity of a device predicts its later one; attribution needs exposures, so it has no before. */
const beforeOf = (name: ExperimentMeasure) => `${name.replace('attributed_', '')}_before`;

const outcomeColumns = [
  ...experimentMeasures.map((name) => `coalesce(${scaled(name)}, 0)::float8 as ${name}`),
  ...deviceMeasures.map((name) => `coalesce(${scaled(name, `${name}_before`)}, 0)::float8 as ${name}_before`),
].join(',\n    ');

const capColumns = winsorised.map(
  (name) =>
    `percentile_disc(${winsorisedAt}) within group (order by ${name}) filter (where ${name} > 0) as ${name}_cap`,
);

const cappedColumns = [
  ...experimentMeasures.map((name) =>
    winsorised.includes(name) ? `least(${name}, ${name}_cap) as ${name}` : name,
  ),
  ...deviceMeasures.map((name) =>
    winsorised.includes(name) ? `least(${name}_before, ${name}_cap) as ${name}_before` : `${name}_before`,
  ),
].join(', ');

const measureSums = (name: ExperimentMeasure): Record<keyof MeasureSums, string> => ({
  sum: name,
  squares: `${name} * ${name}`,
  before: beforeOf(name),
  beforeSquares: `${beforeOf(name)} * ${beforeOf(name)}`,
  both: `${name} * ${beforeOf(name)}`,
});

const rateProducts = ({
  part,
  whole,
}: (typeof rates)[ExperimentRate]): Record<keyof RateProducts, string> => ({
  after: `${part} * ${whole}`,
  before: `${beforeOf(part)} * ${beforeOf(whole)}`,
  part: `${part} * ${beforeOf(whole)}`,
  whole: `${whole} * ${beforeOf(part)}`,
});

const columnsOf = (name: string, sums: Record<string, string>) =>
  Object.entries(sums).map(([kind, of]) => `sum(${of}) as "${name} ${kind}"`);

const rateEntries = Object.entries(rates) as [ExperimentRate, (typeof rates)[ExperimentRate]][];

const sumColumns = [
  ...experimentMeasures.flatMap((name) => columnsOf(name, measureSums(name))),
  ...rateEntries.flatMap(([name, rate]) => [
    ...columnsOf(name, rateProducts(rate)),
    `count(*) filter (where ${rate.whole} > 0) as "${name} deviceCount"`,
  ]),
].join(',\n  ');

/**
 * Assigns devices to arms by exposures and events; devices of several arms get the null arm. What a
 * device did counts from the day of its first exposure, or the hour of its first event that names
 * the arm.
 */
const statementOf = (dimension: ExperimentQuery['dimension']) => `
with exposed as (
  select device_id, ${dimension} as arm, min(day) * 24 as hour from metric_exposures
  where bucket = any($5) and environment = $1
    and day between floor($2::int / 24.0) and floor(($3::int - 1) / 24.0) and $2::int < $3::int
    and ${dimension} = any($4::text[])
  group by device_id, ${dimension}
  union all
  select device_id, ${dimension}, min(hour)
  from (
    select bucket, device_id, hour, unnest(dimensions) as dimension_id from metric_devices
    where bucket = any($5) and environment = $1 and hour >= $2 and hour < $3
  ) as seen join metric_dimensions using (bucket, dimension_id)
  where ${dimension} = any($4)
  group by device_id, ${dimension}
),
devices as (
  select device_id, case when count(distinct arm) = 1 then min(arm) end as arm,
    greatest(min(hour), $2::int) as first_hour
  from exposed group by device_id
),
done as (
  select device_id, ${deviceMeasures.map((name) => `sum(${name}) filter (where hour >= first_hour) as ${name}, sum(${name}) filter (where hour < first_hour) as ${name}_before`).join(', ')}
  from metric_devices join devices using (device_id)
  where bucket = any($5) and environment = $1 and hour >= $2 - $6::int and hour >= first_hour - $6::int
    and hour < $3
  group by device_id
),
attributed as (
  select device_id, sum(items) as attributed_purchased_items, sum(revenue) as attributed_revenue
  from metric_purchases join devices using (device_id)
  where bucket = any($5) and environment = $1
    and purchased_at >= first_hour * 3600000::bigint and purchased_at < $3 * 3600000::bigint
    and dimension_id is not null
  group by device_id
),
outcomes as (
  select arm, ${outcomeColumns}
  from devices left join done using (device_id) left join attributed using (device_id)
),
caps as (select ${capColumns.join(', ')} from outcomes where arm is not null),
capped as (select arm, ${cappedColumns} from outcomes cross join caps)
select arm, count(*) as "deviceCount", ${sumColumns}
from capped group by arm`;

type SumRow = { arm: string | null; deviceCount: number } & { [column: string]: number };

/** Before their first analysis the tables seem small, and nested loops over all devices would not end. */
const manyDevices = { enable_nestloop: 'off' };

/** Returns sums in the order of `arms` (zeros without devices) and the devices in several arms. */
export async function sumArms(
  db: Database,
  { environment, dimension, arms, fromHour, toHour, hoursBefore = 0 }: ExperimentQuery,
): Promise<{ arms: ArmSums[]; crossedDeviceCount: number }> {
  const values = [environment, fromHour, toHour, arms, await listBuckets(db), hoursBefore];
  const sums = CompiledQuery.raw(statementOf(dimension), values);
  const rows = await queryReadOnly<SumRow>(db, manyDevices, {
    execute: (transaction) => transaction.executeQuery(sums),
  });
  const rowOf = (arm: string | null) => rows.find((row) => row.arm === arm);
  return {
    arms: arms.map((arm) => armSums(arm, rowOf(arm))),
    crossedDeviceCount: rowOf(null)?.deviceCount ?? 0,
  };
}

function armSums(arm: string, row: SumRow | undefined): ArmSums {
  const read = (name: string, kinds: readonly string[]) => [
    name,
    Object.fromEntries(kinds.map((kind) => [kind, row?.[`${name} ${kind}`] ?? 0])),
  ];
  return {
    arm,
    deviceCount: row?.deviceCount ?? 0,
    sums: Object.fromEntries(experimentMeasures.map((name) => read(name, Object.keys(measureSums(name))))),
    rates: Object.fromEntries(
      rateEntries.map(([name, rate]) => read(name, [...Object.keys(rateProducts(rate)), 'deviceCount'])),
    ),
  };
}

export type PreferenceQuery = Pick<ExperimentQuery, 'environment' | 'fromHour' | 'toHour'> & {
  arms: readonly [string, string];
};

export type PreferenceCounts = { first: number; second: number; tied: number };

const preferenceText = `
with credited as (
  select device_id, count(*) filter (where version = $4) as first,
    count(*) filter (where version = $5) as second
  from metric_exposures
  where bucket = any($6) and environment = $1 and version in ($4, $5)
    and day between floor($2::int / 24.0) and floor(($3::int - 1) / 24.0)
  group by device_id
)
select count(*) filter (where first > second) as first, count(*) filter (where second > first) as second,
  count(*) filter (where first = second) as tied
from credited`;

/** Counts the devices that were credited to each of two arms in more lists. */
export async function countPreferences(
  db: Database,
  { environment, fromHour, toHour, arms }: PreferenceQuery,
): Promise<PreferenceCounts> {
  const values = [environment, fromHour, toHour, ...arms, await listBuckets(db)];
  return (await query<PreferenceCounts>(db, 'count-preferences', preferenceText, values))[0];
}
