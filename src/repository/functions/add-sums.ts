/** Adds to the hourly sums of a bucket. */

import type { DatabaseFunction } from './database-function.ts';
import { dimensions, each, measures } from './measures.ts';

export const addCombinations: DatabaseFunction = {
  signature: 'add_combinations(integer, json)',
  isOfBucket: false,
  text: () => `
create or replace function add_combinations(at_bucket integer, combinations json) returns void
language plpgsql set search_path from current as $body$
begin
  insert into metric_dimensions (bucket, dimension_id, environment, ${dimensions.join(', ')})
  select at_bucket, dimension_id, environment, ${dimensions.join(', ')}
  from json_to_recordset(combinations) as input(
    dimension_id bigint, environment text, ${each(dimensions, (name) => `${name} text`)})
  order by dimension_id
  on conflict (bucket, dimension_id) do nothing;
end
$body$`,
};

/** What was absent stays null, which takes no space. */
const added = each(
  measures,
  (name) => `
    ${name} = case when excluded.${name} is null then known.${name}
      else coalesce(known.${name}, 0) + excluded.${name} end`,
);

/** In totals the number of a dimension is its place and one; zero stands for all together. */
const places = [
  `(0::smallint, '', 0)`,
  ...dimensions.map((name, place) => `(${place + 1}::smallint, ${name}, ${1 << place})`),
];

const summedInput = `
    select hour, dimension_id, counted, ${each(measures, (name) => `sum(${name}) as ${name}`)}
    from unnest(parts) as part cross join lateral json_to_recordset(part) as input(
      hour int, dimension_id bigint, counted bigint, ${each(measures, (name) => `${name} float8`)})
    group by hour, dimension_id, counted`;

/** The combinations must have been added before. */
export const addHours: DatabaseFunction = {
  signature: 'add_hours(integer, json[])',
  isOfBucket: false,
  text: () => `
create or replace function add_hours(at_bucket integer, parts json[]) returns void
language plpgsql set search_path from current as $body$
begin
  insert into metric_totals as known (bucket, environment, dimension, hour, value, ${measures.join(', ')})
  select at_bucket, environment, place.dimension, hour, place.value, ${each(measures, (name) => `sum(${name})`)}
  from (${summedInput}) as added
  cross join lateral (
    select * from metric_dimensions as known
    where known.bucket = at_bucket and known.dimension_id = added.dimension_id limit 1) as combination
  cross join lateral (values ${places.join(', ')}) as place(dimension, value, grouping_mask)
  where (counted >> grouping_mask) & 1 = 1
  group by environment, place.dimension, hour, place.value
  order by environment, place.dimension, hour, place.value
  on conflict (bucket, environment, dimension, hour, value) do update set ${added};
  insert into metric_hours as known (bucket, hour, dimension_id, counted, ${measures.join(', ')})
  select at_bucket, hour, dimension_id, counted, ${measures.join(', ')}
  from (${summedInput}) as added
  order by hour, dimension_id, counted
  on conflict (bucket, hour, dimension_id, counted) do update set ${added};
end
$body$`,
};
