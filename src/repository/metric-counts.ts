/**
 * Keeps the hourly counts up in the transaction that stores the events.
 *
 * The outcome does not depend on the order of arrival, nor on what other transactions do meanwhile: a key's row is locked by its upsert,
 * which says what it held before; attribution is decided under a lock; and all transactions lock in one order (keys, devices,
 * attribution, hours, combinations).
 */
import type { Run } from './database.ts';
import { attribute } from './metric-attribution.ts';
import { addCount, type MetricBatch, type SeenDevice } from './metric-batch.ts';
import {
  countedGroupings,
  type DimensionValues,
  dimensionNames,
  mostCombinationsPerKey,
} from './metric-dimensions.ts';
import { deviceMeasures, type Measure, measures } from './metric-measures.ts';

/** A row's combinations with the ones of this call that it did not have after them. */
const merged = `case when known.dimensions @> excluded.dimensions then known.dimensions else (known.dimensions || array(
  select unnest(excluded.dimensions) except select unnest(known.dimensions)))[1:${mostCombinationsPerKey}] end`;

const keysStatement = `
with seen as (
  insert into metric_keys as known (environment, metric, hour, key, dimensions, known_count)
  select environment, metric, hour, key, dimensions, 0
  from json_to_recordset($1::json) as input(
    environment text, metric smallint, hour int, key text, dimensions bigint[])
  order by environment, metric, hour, key
  on conflict (environment, metric, hour, key) do update set dimensions = ${merged}, known_count = cardinality(known.dimensions)
  where not known.dimensions @> excluded.dimensions and cardinality(known.dimensions) < ${mostCombinationsPerKey}
  returning metric, hour, dimensions, known_count
)
select metric, hour, dimensions, known_count as "knownCount", count(*) as count from seen group by 1, 2, 3, 4`;

const sumColumns = deviceMeasures.join(', ');

const devicesStatement = `
with seen as (
  insert into metric_devices as known (environment, hour, device_id, dimensions, known_count, ${sumColumns})
  select environment, hour, device_id, dimensions, 0, ${deviceMeasures.map((name) => `coalesce(${name}, 0)`).join(', ')}
  from json_to_recordset($1::json) as input(
    environment text, hour int, device_id text, dimensions bigint[], ${deviceMeasures.map((name) => `${name} float8`).join(', ')})
  order by environment, hour, device_id
  on conflict (environment, hour, device_id) do update set dimensions = ${merged}, known_count = cardinality(known.dimensions),
    ${deviceMeasures.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}
  returning hour, dimensions, known_count
)
select ${measures.devices} as metric, hour, dimensions, known_count as "knownCount", count(*) as count
from seen where known_count < cardinality(dimensions) group by 2, 3, 4`;

/** The first `knownCount` of `dimensions` are not new; int8 arrays arrive as text. */
type SeenRow = { metric: number; hour: number; dimensions: string[]; knownCount: number; count: number };

/** Adds a batch to the counts. The batch is used up. */
export async function count(run: Run, batch: MetricBatch): Promise<void> {
  const seen: SeenRow[] = [];
  if (batch.keys.size > 0) {
    const rows = Array.from(batch.keys.values(), (key) => ({ ...key, dimensions: [...key.dimensions] }));
    seen.push(
      ...(await run<SeenRow>({ name: 'see-keys', text: keysStatement, values: [JSON.stringify(rows)] })),
    );
  }
  if (batch.devices.size > 0) {
    const values = [JSON.stringify(Array.from(batch.devices.values(), deviceRow))];
    seen.push(...(await run<SeenRow>({ name: 'see-devices', text: devicesStatement, values })));
  }
  await addSightings(run, batch, seen);
  for (const shift of await attribute(run, batch)) addCount(batch, shift);
  await writeHours(run, batch);
}

/** Sums that are zero are left out, to be read faster. */
function deviceRow({ environment, hour, deviceId, dimensions, sums }: SeenDevice) {
  return { environment, hour, device_id: deviceId, dimensions: [...dimensions], ...sums };
}

async function addSightings(run: Run, batch: MetricBatch, rows: SeenRow[]): Promise<void> {
  const valuesOf = await readCombinations(run, batch, rows);
  for (const { metric, hour, dimensions, knownCount, count: value } of rows) {
    const ids = dimensions.map(Number);
    for (let i = knownCount; i < ids.length; i++) {
      const earlier = ids.slice(0, i).map(valuesOf);
      const counted = countedGroupings(valuesOf(ids[i]), earlier);
      addCount(batch, { measure: measureNames.get(metric)!, hour, dimensionId: ids[i], counted, value });
    }
  }
}

const measureNames = new Map(
  Object.entries(measures).map(([name, number]) => [number as number, name as Measure]),
);

const combinationsStatement = `
select dimension_id as id, array[${dimensionNames.join(', ')}] as values from metric_dimensions
where dimension_id = any($1::bigint[])`;

/** Those of earlier sightings that the batch does not have are read. */
async function readCombinations(
  run: Run,
  { combinations }: MetricBatch,
  rows: SeenRow[],
): Promise<(id: number) => DimensionValues> {
  const missing = new Set(
    rows.flatMap((row) => row.dimensions).filter((id) => !combinations.has(Number(id))),
  );
  const read = new Map<number, DimensionValues>();
  if (missing.size > 0) {
    const statement = { name: 'read-combinations', text: combinationsStatement, values: [[...missing]] };
    for (const { id, values } of await run<{ id: number; values: string[] }>(statement)) read.set(id, values);
  }
  return (id) => combinations.get(id)?.values ?? read.get(id)!;
}

/** An attribution that moves away may name a combination of an earlier batch. */
const hoursStatement = `
with hours as materialized (
  select * from json_to_recordset($1::json) as input(
    metric smallint, hour int, dimension_id bigint, counted bigint, value float8)
),
combinations as materialized (
  select * from json_to_recordset($2::json) as input(dimension_id bigint, environment text, value text[])
),
combined as (
  insert into metric_dimensions (dimension_id, environment, ${dimensionNames.join(', ')})
  select dimension_id, environment, ${dimensionNames.map((_, i) => `value[${i + 1}]`).join(', ')}
  from combinations order by dimension_id
  on conflict (dimension_id) do nothing
),
places as (
  select dimension_id, environment from combinations
  union
  select dimension_id, environment from metric_dimensions
  where dimension_id in (select dimension_id from hours except select dimension_id from combinations)
),
totalled as (
  insert into metric_totals as known (metric, hour, environment, value)
  select metric, hour, environment, sum(value) from hours join places using (dimension_id)
  where counted & 1 = 1 group by metric, hour, environment order by metric, hour, environment
  on conflict (metric, hour, environment) do update set value = known.value + excluded.value
)
insert into metric_hours as known (metric, hour, dimension_id, counted, value)
select * from hours order by metric, hour, dimension_id, counted
on conflict (metric, hour, dimension_id, counted) do update set value = known.value + excluded.value`;

/** The last step: its rows are shared by all writers of an hour, who wait for each other from here to the commit. */
export async function writeHours(
  run: Run,
  { sums, combinations }: Pick<MetricBatch, 'sums' | 'combinations'>,
): Promise<void> {
  const hours = Array.from(sums.values(), ({ measure, hour, dimensionId, counted, value }) => ({
    metric: measures[measure],
    hour,
    dimension_id: dimensionId,
    counted,
    value,
  })).filter(({ value }) => value !== 0);
  if (hours.length === 0) return;
  const rows = Array.from(combinations.values(), ({ dimensionId, environment, values }) => ({
    dimension_id: dimensionId,
    environment,
    value: values,
  }));
  await run({
    name: 'write-metric-hours',
    text: hoursStatement,
    values: [JSON.stringify(hours), JSON.stringify(rows)],
  });
}
