/** Counts users, devices and sets of impressions of a bucket, each once in every grouping of an hour. */

import type { DatabaseFunction } from './database-function.ts';
import { deviceSums, dimensions, each, mostCombinations } from './measures.ts';
import { declareRows, rowsOf } from './rows.ts';

/** By the agreement of two combinations, a mask: the groupings in which the later one is no new sighting. */
const agreedGroupings = Array.from({ length: 64 }, (_, agreement) => {
  let bits = 0n;
  for (let grouping = 0; grouping < 64; grouping++)
    if ((grouping & ~agreement) === 0) bits |= 1n << BigInt(grouping);
  return BigInt.asIntN(64, bits);
});

const agreement = dimensions
  .map((name, place) => `case when one.${name} = other.${name} then ${1 << place} else 0 end`)
  .join(' + ');

/** Each of a key's combinations after the first `known_count` counts wherever no earlier one has the same values. */
export const countSightings: DatabaseFunction = {
  signature: 'count_sightings(integer, json)',
  isOfBucket: false,
  text: () => `
create or replace function count_sightings(at_bucket integer, seen json) returns json
language plpgsql set search_path from current as $body$
declare
  counted_rows json;
begin
  select json_agg(sightings) into counted_rows from (
    select hour, dimensions[place] as dimension_id, counted,
      sum(case when kind = 'u' then count end) as users,
      sum(case when kind = 's' then count end) as impressions_sets,
      sum(case when kind = 'd' then count end) as devices
    from json_to_recordset(seen) as input(kind text, hour int, dimensions bigint[], known_count int, count int)
    cross join lateral generate_series(known_count + 1, cardinality(dimensions)) as place
    cross join lateral (
      select case when place = 1 then -1 else (
        select ~bit_or(('{${agreedGroupings.join(',')}}'::bigint[])[1 + ${agreement}])
        from unnest(dimensions[1:place - 1]) as earlier
        cross join lateral (
          select * from metric_dimensions as known
          where known.bucket = at_bucket and known.dimension_id = earlier limit 1) as other
        cross join lateral (
          select * from metric_dimensions as known
          where known.bucket = at_bucket and known.dimension_id = dimensions[place] limit 1) as one
      ) end as counted
    ) as counts
    where counted <> 0
    group by 1, 2, 3
  ) as sightings;
  return counted_rows;
end
$body$`,
};

/** A row's combinations with those after them that it did not have. */
const merged = `case when known.dimensions @> excluded.dimensions then known.dimensions
      else (known.dimensions || array(
        select unnest(excluded.dimensions) except select unnest(known.dimensions)))[1:${mostCombinations}] end`;

/** What was sighted by this statement, the same together, in `parts`. */
const collectSeen = (kind: string) => `
    select json_agg(alike) into sightings from (
      select ${kind} as kind, hour, dimensions, known_count, count(*) as count from seen
      where known_count < cardinality(dimensions) group by 1, 2, 3, 4
    ) as alike;
    if sightings is not null then parts := parts || count_sightings(at_bucket, sightings); end if;`;

/** In the order in which they are written. */
const keyTypes = { environment: 'text', kind: 'text', hour: 'int', key: 'text', dimensions: 'bigint[]' };
const deviceTypes = {
  environment: 'text',
  hour: 'int',
  device_id: 'text',
  dimensions: 'bigint[]',
  ...Object.fromEntries(deviceSums.map((name) => [name, 'float8'])),
};

/** A key that is there with all its combinations is not touched: to lock a row costs as much as to write it. */
const seeKeys = (isCluster: boolean) => `
    with seen as (
      insert into metric_keys as known (bucket, environment, kind, hour, key, dimensions, known_count)
      select at_bucket, environment, kind, hour, key, dimensions, 0 from ${rowsOf('key', keyTypes, isCluster)} as input
      where (
        select known.dimensions @> input.dimensions or cardinality(known.dimensions) >= ${mostCombinations}
        from metric_keys as known
        where known.bucket = at_bucket and known.environment = input.environment
          and known.kind = input.kind and known.hour = input.hour and known.key = input.key
      ) is not true
      on conflict (bucket, environment, kind, hour, key) do update
        set dimensions = ${merged}, known_count = cardinality(known.dimensions)
      returning kind, hour, dimensions, known_count
    )`;

const seeDevices = (isCluster: boolean) => `
    with seen as (
      insert into metric_devices as known (
        bucket, environment, hour, device_id, dimensions, known_count, ${deviceSums.join(', ')})
      select at_bucket, environment, hour, device_id, dimensions, 0, ${each(deviceSums, (name) => `coalesce(${name}, 0)`)}
      from ${rowsOf('device', deviceTypes, isCluster)} as input
      on conflict (bucket, environment, hour, device_id) do update
        set dimensions = ${merged}, known_count = cardinality(known.dimensions),
          ${each(deviceSums, (name) => `${name} = known.${name} + excluded.${name}`)}
      returning hour, dimensions, known_count
    )`;

/** Answers what it adds to the hours. */
export const countPeople: DatabaseFunction = {
  signature: 'count_people(integer, text, text)',
  isOfBucket: false,
  text: (isCluster) => `
create or replace function count_people(at_bucket integer, new_keys text, new_devices text) returns json[]
language plpgsql set search_path from current as $body$
declare
  ${declareRows('key', 'new_keys')}
  ${declareRows('device', 'new_devices')}
  parts json[] := '{}';
  sightings json;
begin
  if new_keys is not null then ${seeKeys(isCluster)} ${collectSeen('kind')}
  end if;
  if new_devices is not null then ${seeDevices(isCluster)} ${collectSeen(`'d'`)}
  end if;
  return parts;
end
$body$`,
};
