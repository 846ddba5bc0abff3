/**
 * Writes and reads of a bucket's lists. What a crash of the database server loses is to the caller as if
 * it had expired.
 */

import { type DatabaseFunction, plannedOnce, unflushed } from './database-function.ts';
import { declareRows, rowsOf } from './rows.ts';

/** Of a row, in the order in which encode-values.ts writes them. */
const listColumns = { environment: 'text', list_key: 'text', expires_at: 'timestamptz', payload: 'text' };

/** One of a known key replaces it; keys must differ. */
export const insertLists: DatabaseFunction = {
  signature: 'insert_lists(integer, text)',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function insert_lists(at_bucket integer, given text)
returns void ${plannedOnce(isCluster)} as $body$
declare
  ${declareRows('given', 'given')}
begin
  ${unflushed}
  insert into lists (bucket, environment, list_key, expires_at, payload)
  select at_bucket, environment, list_key, expires_at, payload
  from ${rowsOf('given', listColumns, isCluster)} as input
  order by environment, list_key
  on conflict (bucket, environment, list_key) do update
    set expires_at = excluded.expires_at, payload = excluded.payload;
end
$body$`,
};

/** Prolongs living lists, one after the other by their keys; it never shortens one. */
export const renewLists: DatabaseFunction = {
  signature: 'renew_lists(integer, text[], text[], timestamptz)',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function renew_lists(
  at_bucket integer, environments text[], keys text[], new_end timestamptz
) returns void ${plannedOnce(isCluster)} as $body$
declare
  wanted record;
  moment timestamptz := now();
begin
  ${unflushed}
  for wanted in
    select distinct environment, list_key from unnest(environments, keys) as input(environment, list_key)
    order by environment, list_key
  loop
    update lists
    set expires_at = case when expires_at between moment and new_end then new_end else expires_at end
    where lists.bucket = at_bucket and environment = wanted.environment and list_key = wanted.list_key;
  end loop;
end
$body$`,
};

/** Those of the given keys that have not expired. The moment stands apart, so that no list is looked for by it. */
export const findLists: DatabaseFunction = {
  signature: 'find_lists(integer, text[], text[])',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function find_lists(at_bucket integer, environments text[], keys text[])
returns setof lists ${plannedOnce(isCluster)} as $body$
begin
  return query
  select found.* from unnest(environments, keys) as wanted(wanted_environment, wanted_key)
  cross join lateral (
    select * from lists
    where bucket = at_bucket and environment = wanted_environment and list_key = wanted_key limit 1
  ) as found
  where expires_at > now();
end
$body$`,
};
