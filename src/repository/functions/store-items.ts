/** Writes of a bucket's items. Each takes the next number of the bucket's feed. */

import { type DatabaseFunction, plannedOnce } from './database-function.ts';

/** What a write answers of each item. */
export const itemColumns = `environment, item_type as "itemType", item_id as "itemId", document, enabled, revision,
  created_at as "createdAt", updated_at as "updatedAt", bucket, number`;

/** Of the rows that meet the condition; what follows says how a known item changes. */
const insert = (condition: string, enabled: string) => `
  insert into items as known (
    bucket, environment, item_type, item_id, document, enabled, created_at, updated_at, number)
  select at_bucket, input.environment, input.item_type, input.item_id, input.document, ${enabled},
    moment, moment, first_number + place - 1
  from unnest(environments, types, ids, documents, new_enabled)
    with ordinality as input(environment, item_type, item_id, document, enabled, place)
  where ${condition}
  on conflict (bucket, environment, item_type, item_id) do update set`;

/**
 * Replaces whole documents. `new_enabled` is null where the status stays as it is, and for a new item
 * means enabled. Keys must differ.
 */
export const upsertItems: DatabaseFunction = {
  signature: 'upsert_items(integer, text[], text[], text[], json[], boolean[])',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function upsert_items(
  at_bucket integer, environments text[], types text[], ids text[], documents json[], new_enabled boolean[]
) returns setof items ${plannedOnce(isCluster)} as $body$
declare
  item_count integer := cardinality(ids);
  first_number bigint := next_numbers(at_bucket, 'items', 0, item_count) - item_count + 1;
  moment timestamptz := now();
begin
  return query
  ${insert('input.enabled is null', 'true')}
    document = excluded.document, revision = known.revision + 1, updated_at = excluded.updated_at,
    number = excluded.number
  returning *;
  return query
  ${insert('input.enabled is not null', 'input.enabled')}
    document = excluded.document, enabled = excluded.enabled, revision = known.revision + 1,
    updated_at = excluded.updated_at, number = excluded.number
  returning *;
end
$body$`,
};

/** Marks a known item as written, with another status unless it is null; no row when it is unknown. */
export const setItemsEnabled: DatabaseFunction = {
  signature: 'set_item_enabled(integer, text, text, text, boolean)',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function set_item_enabled(
  at_bucket integer, of_environment text, of_type text, of_id text, new_enabled boolean
) returns setof items ${plannedOnce(isCluster)} as $body$
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
end
$body$`,
};

/**
 * Replaces documents whose revision is the expected one: 0 where nothing may be there, -1 where anything must. A document or
 * a status that is null stays as it is. Answers what was written. Keys must differ. Numbers of what was not written stay
 * unused, as do those of every row that is written again.
 */
export const replaceItems: DatabaseFunction = {
  signature: 'replace_items(integer, text[], text[], text[], json[], boolean[], integer[])',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function replace_items(
  at_bucket integer, environments text[], types text[], ids text[], documents json[], new_enabled boolean[],
  expected integer[]
) returns setof items ${plannedOnce(isCluster)} as $body$
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
end
$body$`,
};
