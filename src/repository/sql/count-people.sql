-- Counts users, devices and sets of impressions of a bucket, each once in every grouping of an hour.

-- The dimensions in which two combinations agree, as a mask.
{{define agreement}}case when one.user_group = other.user_group then 1 else 0 end
      + case when one.version = other.version then 2 else 0 end
      + case when one.page_type = other.page_type then 4 else 0 end
      + case when one.list_name = other.list_name then 8 else 0 end
      + case when one.channel = other.channel then 16 else 0 end
      + case when one.configuration = other.configuration then 32 else 0 end{{end}}

-- Each of a key's combinations after the first `known_count` counts wherever no earlier one has the same values.
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
        select ~bit_or(('{{agreed_groupings}}'::bigint[])[1 + {{agreement}}])
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
$body$;

-- In the order in which metrics/metric-batch.ts writes them.
{{columns key: environment text, kind text, hour int, key text, dimensions bigint[]}}
{{columns device: environment text, hour int, device_id text, dimensions bigint[], {{each device_measures: $ float8}}}}

-- A row's combinations, followed by the new ones.
{{define merged}}case when known.dimensions @> excluded.dimensions then known.dimensions
      else (known.dimensions || array(
        select unnest(excluded.dimensions) except select unnest(known.dimensions)))[1:{{most_combinations}}] end{{end}}

-- Adds the sightings of this statement to `parts`; equal ones are counted together.
{{define collect_seen(kind)}}
    select json_agg(alike) into sightings from (
      select $kind as kind, hour, dimensions, known_count, count(*) as count from seen
      where known_count < cardinality(dimensions) group by 1, 2, 3, 4
    ) as alike;
    if sightings is not null then parts := parts || count_sightings(at_bucket, sightings); end if;{{end}}

-- Returns the additions to the hours. A key that has all its combinations is not touched: locking a row costs as much
-- as writing it.
create or replace function count_people(at_bucket integer, new_keys text, new_devices text) returns json[]
language plpgsql set search_path from current as $body$
declare
  key_values text[] := {{split new_keys}};
  device_values text[] := {{split new_devices}};
  parts json[] := '{}';
  sightings json;
begin
  if new_keys is not null then
    with seen as (
      insert into metric_keys as known (bucket, environment, kind, hour, key, dimensions, known_count)
      select at_bucket, environment, kind, hour, key, dimensions, 0 from {{rows key}} as input
      where (
        select known.dimensions @> input.dimensions or cardinality(known.dimensions) >= {{most_combinations}}
        from metric_keys as known
        where known.bucket = at_bucket and known.environment = input.environment
          and known.kind = input.kind and known.hour = input.hour and known.key = input.key
      ) is not true
      on conflict (bucket, environment, kind, hour, key) do update
        set dimensions = {{merged}}, known_count = cardinality(known.dimensions)
      returning kind, hour, dimensions, known_count
    ) {{collect_seen kind}}
  end if;
  if new_devices is not null then
    with seen as (
      insert into metric_devices as known (
        bucket, environment, hour, device_id, dimensions, known_count, {{each device_measures: $}})
      select at_bucket, environment, hour, device_id, dimensions, 0, {{each device_measures: coalesce($, 0)}}
      from {{rows device}} as input
      on conflict (bucket, environment, hour, device_id) do update
        set dimensions = {{merged}}, known_count = cardinality(known.dimensions),
          {{each device_measures: $ = known.$ + excluded.$}}
      returning hour, dimensions, known_count
    ) {{collect_seen 'd'}}
  end if;
  return parts;
end
$body$;
