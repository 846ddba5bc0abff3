-- Adds to the hourly sums of a bucket.

create or replace function add_combinations(at_bucket integer, combinations json) returns void
language plpgsql set search_path from current as $body$
begin
  insert into metric_dimensions (bucket, dimension_id, environment, {{each dimensions: $}})
  select at_bucket, dimension_id, environment, {{each dimensions: coalesce($, '')}}
  from json_to_recordset(combinations) as input(
    dimension_id bigint, environment text, {{each dimensions: $ text}})
  order by dimension_id
  on conflict (bucket, dimension_id) do nothing;
end
$body$;

-- A measure that nothing was added to stays null, which takes no space.
{{define added}}{{each measures:
    $ = case when excluded.$ is null then known.$
      else coalesce(known.$, 0) + excluded.$ end}}{{end}}

{{define summed_input}}
    select hour, dimension_id, counted, {{each measures: sum($) as $}}
    from unnest(parts) as part cross join lateral json_to_recordset(part) as input(
      hour int, dimension_id bigint, counted bigint, {{each measures: $ float8}})
    group by hour, dimension_id, counted{{end}}

-- The combinations must have been added before. In totals a dimension is numbered from 1; 0 is the overall total, and
-- `grouping_mask` is the grouping that the total is of.
create or replace function add_hours(at_bucket integer, parts json[]) returns void
language plpgsql set search_path from current as $body$
begin
  insert into metric_totals as known (bucket, environment, dimension, hour, value, {{each measures: $}})
  select at_bucket, environment, place.dimension, hour, place.value, {{each measures: sum($)}}
  from ({{summed_input}}) as added
  cross join lateral (
    select * from metric_dimensions as known
    where known.bucket = at_bucket and known.dimension_id = added.dimension_id limit 1) as combination
  cross join lateral (values (0::smallint, '', 0), (1::smallint, user_group, 1), (2::smallint, version, 2),
    (3::smallint, page_type, 4), (4::smallint, list_name, 8), (5::smallint, channel, 16),
    (6::smallint, configuration, 32)) as place(dimension, value, grouping_mask)
  where (counted >> grouping_mask) & 1 = 1
  group by environment, place.dimension, hour, place.value
  order by environment, place.dimension, hour, place.value
  on conflict (bucket, environment, dimension, hour, value) do update set {{added}};
  insert into metric_hours as known (bucket, hour, dimension_id, counted, {{each measures: $}})
  select at_bucket, hour, dimension_id, counted, {{each measures: $}}
  from ({{summed_input}}) as added
  order by hour, dimension_id, counted
  on conflict (bucket, hour, dimension_id, counted) do update set {{added}};
end
$body$;
