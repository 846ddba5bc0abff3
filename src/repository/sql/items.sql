-- Writes items of a bucket. Each write takes the next number of the bucket's feed, and appends changes to the outbox.

-- Inserts the rows that meet the condition; the text after it says how a known item changes.
{{define insert(condition, enabled)}}
  insert into items as known (
    bucket, environment, item_type, item_id, document, enabled, created_at, updated_at, number)
  select at_bucket, input.environment, input.item_type, input.item_id, input.document, $enabled,
    moment, moment, first_number + place - 1
  from unnest(environments, types, ids, documents, new_enabled)
    with ordinality as input(environment, item_type, item_id, document, enabled, place)
  where $condition
  on conflict (bucket, environment, item_type, item_id) do update set{{end}}

-- Replaces whole documents. Where `new_enabled` is null the status stays; a new item is then enabled. Keys must differ.
create or replace function upsert_items(
  at_bucket integer, environments text[], types text[], ids text[], documents json[], new_enabled boolean[]
) returns setof items {{planned_once}} as $body$
declare
  item_count integer := cardinality(ids);
  first_number bigint := next_numbers(at_bucket, 'items', 0, item_count) - item_count + 1;
  moment timestamptz := now();
begin
  return query
  {{insert input.enabled is null | true}}
    document = excluded.document, revision = known.revision + 1, updated_at = excluded.updated_at,
    number = excluded.number
  returning *;
  return query
  {{insert input.enabled is not null | input.enabled}}
    document = excluded.document, enabled = excluded.enabled, revision = known.revision + 1,
    updated_at = excluded.updated_at, number = excluded.number
  returning *;
  perform append_item_changes(at_bucket, first_number, item_count);
end
$body$;

-- Marks a known item as written, with another status unless it is null; returns no row when the item is unknown.
create or replace function set_item_enabled(
  at_bucket integer, of_environment text, of_type text, of_id text, new_enabled boolean
) returns setof items {{planned_once}} as $body$
declare
  taken bigint;
begin
  if not exists (
    select from items where bucket = at_bucket and environment = of_environment
      and item_type = of_type and item_id = of_id
  ) then return; end if;
  taken := next_numbers(at_bucket, 'items', 0, 1);
  return query
  update items set enabled = coalesce(new_enabled, enabled), revision = revision + 1,
    updated_at = now(), number = taken
  where bucket = at_bucket and environment = of_environment and item_type = of_type and item_id = of_id
  returning *;
  perform append_item_changes(at_bucket, taken, 1);
end
$body$;

-- Replaces items whose revision is the expected one: 0 for an item that must not exist, -1 for one that must. A null
-- document or status stays. Returns the rows that were written. Keys must differ. Numbers of rows that were not written
-- stay unused, as do those of every row that is written again.
create or replace function replace_items(
  at_bucket integer, environments text[], types text[], ids text[], documents json[], new_enabled boolean[],
  expected integer[]
) returns setof items {{planned_once}} as $body$
declare
  item_count integer := cardinality(ids);
  first_number bigint := next_numbers(at_bucket, 'items', 0, item_count) - item_count + 1;
  moment timestamptz := now();
begin
  return query
  update items as known set document = coalesce(input.document, known.document),
    enabled = coalesce(input.enabled, known.enabled), revision = known.revision + 1, updated_at = moment,
    number = first_number + input.place - 1
  from unnest(environments, types, ids, documents, new_enabled, expected)
    with ordinality as input(environment, item_type, item_id, document, enabled, revision, place)
  where known.bucket = at_bucket and known.environment = input.environment
    and known.item_type = input.item_type and known.item_id = input.item_id
    and (known.revision = input.revision or input.revision = -1)
  returning known.*;
  return query
  insert into items (
    bucket, environment, item_type, item_id, document, enabled, created_at, updated_at, number)
  select at_bucket, input.environment, input.item_type, input.item_id, input.document,
    coalesce(input.enabled, true), moment, moment, first_number + place - 1
  from unnest(environments, types, ids, documents, new_enabled, expected)
    with ordinality as input(environment, item_type, item_id, document, enabled, revision, place)
  where input.revision = 0
  on conflict (bucket, environment, item_type, item_id) do nothing
  returning *;
  perform append_item_changes(at_bucket, first_number, item_count);
end
$body$;
