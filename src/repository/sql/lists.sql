-- Writes and reads computed lists of a bucket. Writes commit without waiting for the disk: a list that a crash of the
-- server loses is to its caller as if it had expired.

-- In the order in which kept/kept-lists.ts writes them.
{{columns given: environment text, list_key text, expires_at timestamptz, payload text}}

-- A list of a known key replaces it; keys must differ.
create or replace function insert_lists(at_bucket integer, given text)
returns void {{planned_once}} as $body$
declare
  given_values text[] := {{split given}};
begin
  {{unflushed}}
  insert into lists (bucket, environment, list_key, expires_at, payload)
  select at_bucket, environment, list_key, expires_at, payload
  from {{rows given}} as input
  order by environment, list_key
  on conflict (bucket, environment, list_key) do update
    set expires_at = excluded.expires_at, payload = excluded.payload;
end
$body$;

-- Prolongs lists that have not expired, in the order of their keys; it never shortens one.
create or replace function renew_lists(
  at_bucket integer, environments text[], keys text[], new_end timestamptz
) returns void {{planned_once}} as $body$
declare
  wanted record;
  moment timestamptz := now();
begin
  {{unflushed}}
  for wanted in
    select distinct environment, list_key from unnest(environments, keys) as input(environment, list_key)
    order by environment, list_key
  loop
    update lists
    set expires_at = case when expires_at between moment and new_end then new_end else expires_at end
    where lists.bucket = at_bucket and environment = wanted.environment and list_key = wanted.list_key;
  end loop;
end
$body$;

-- Returns the given lists that have not expired. The condition on time stands outside, so that no index on it is used.
create or replace function find_lists(at_bucket integer, environments text[], keys text[])
returns setof lists {{planned_once}} as $body$
begin
  return query
  select found.* from unnest(environments, keys) as wanted(wanted_environment, wanted_key)
  cross join lateral (
    select * from lists
    where bucket = at_bucket and environment = wanted_environment and list_key = wanted_key limit 1
  ) as found
  where expires_at > now();
end
$body$;
