/** Sums, squares and products over the devices of each experiment arm, for means and variances. */
import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { deviceMeasures, millionths, rates } from './metric-measures.ts';

export const experimentMeasures = [
  ...deviceMeasures,
  'attributed_purchased_items',
  'attributed_revenue',
] as const;

export type ExperimentMeasure = (typeof experimentMeasures)[number];

export type ExperimentRate = keyof typeof rates;

export type ArmSums = {
  arm: string;
  /** Devices in this arm and no other. */
  deviceCount: number;
  sums: Record<ExperimentMeasure, { sum: number; squares: number }>;
  /** By rate: the sum of part times whole over devices, and the devices with a nonzero whole. */
  rates: Record<ExperimentRate, { products: number; deviceCount: number }>;
};

export type ExperimentQuery = {
  environment: string;
  dimension: 'version' | 'user_group';
  arms: readonly string[];
  /** Hours since 1970, [from, to). */
  fromHour: number;
  toHour: number;
};

const scaled = (name: ExperimentMeasure) => (millionths.has(name) ? `${name} / 1e6` : name);

const deviceColumns = experimentMeasures
  .map((name) => `coalesce(${scaled(name)}, 0) as ${name}`)
  .join(',\n    ');

const sumColumns = [
  ...experimentMeasures.map(
    (name) => `sum(${name}) as "${name}", sum(${name} * ${name}) as "${name} squared"`,
  ),
  ...Object.entries(rates).map(
    ([rate, { part, whole }]) =>
      `sum(${part} * ${whole}) as "${rate}", count(*) filter (where ${whole} > 0) as "${rate} devices"`,
  ),
].join(',\n  ');

/** Assigns devices to arms by exposures and events; devices of several arms get the null arm. */
const statementOf = (dimension: ExperimentQuery['dimension']) => `
with exposed as (
  select device_id, ${dimension} as arm from metric_exposures
  where bucket = any($5) and environment = $1
    and day between floor($2::int / 24.0) and floor(($3::int - 1) / 24.0) and $2::int < $3::int
    and ${dimension} = any($4::text[])
  union
  select device_id, ${dimension}
  from (
    select bucket, device_id, unnest(dimensions) as dimension_id from metric_devices
    where bucket = any($5) and environment = $1 and hour >= $2 and hour < $3
  ) as seen join metric_dimensions using (bucket, dimension_id)
  where ${dimension} = any($4)
),
devices as (
  select device_id, case when count(*) = 1 then min(arm) end as arm from exposed group by device_id
),
done as (
  select device_id, ${deviceMeasures.map((name) => `sum(${name}) as ${name}`).join(', ')} from metric_devices
  where bucket = any($5) and environment = $1 and hour >= $2 and hour < $3 group by device_id
),
attributed as (
  select device_id, sum(items) as attributed_purchased_items, sum(revenue) as attributed_revenue from metric_purchases
  where bucket = any($5) and environment = $1
    and purchased_at >= $2 * 3600000::bigint and purchased_at < $3 * 3600000::bigint
    and dimension_id is not null and device_id is not null
  group by device_id
),
outcomes as (
  select arm, ${deviceColumns}
  from devices left join done using (device_id) left join attributed using (device_id)
)
select arm, count(*) as "deviceCount", ${sumColumns}
from outcomes group by arm`;

type SumColumn = ExperimentMeasure | `${ExperimentMeasure} squared` | ExperimentRate;
type CountColumn = `${ExperimentRate} devices`;

type SumRow = { arm: string | null; deviceCount: number } & Record<SumColumn | CountColumn, number>;

const rateNames = Object.keys(rates) as ExperimentRate[];

/** Returns sums in the order of `arms` (zeros without devices) and the devices in several arms. */
export async function sumArms(
  db: Database,
  { environment, dimension, arms, fromHour, toHour }: ExperimentQuery,
): Promise<{ arms: ArmSums[]; crossedDeviceCount: number }> {
  const rows = await query<SumRow>(db, `sum-arms-${dimension}`, statementOf(dimension), [
    environment,
    fromHour,
    toHour,
    arms,
    await listBuckets(db),
  ]);
  return {
    arms: arms.map((arm) =>
      armSums(
        arm,
        rows.find((row) => row.arm === arm),
      ),
    ),
    crossedDeviceCount: rows.find((row) => row.arm === null)?.deviceCount ?? 0,
  };
}

function armSums(arm: string, row: SumRow | undefined): ArmSums {
  const sums = experimentMeasures.map((name) => [
    name,
    { sum: row?.[name] ?? 0, squares: row?.[`${name} squared`] ?? 0 },
  ]);
  const ofRates = rateNames.map((rate) => [
    rate,
    { products: row?.[rate] ?? 0, deviceCount: row?.[`${rate} devices`] ?? 0 },
  ]);
  return {
    arm,
    deviceCount: row?.deviceCount ?? 0,
    sums: Object.fromEntries(sums),
    rates: Object.fromEntries(ofRates),
  };
}
