-- Adds the calls that a node has served to the sums of a bucket.

-- Counts each of a node's batches once, however often it is sent; batches are numbered from 1.
create or replace function count_served(
  at_bucket integer, of_node text, number bigint, combinations json, new_hours json
) returns void {{planned_once}} as $body$
declare
  moment timestamptz := now();
begin
  insert into metric_served as known (bucket, node, batch, served_at)
  values (at_bucket, of_node, number, moment)
  on conflict (bucket, node) do update set batch = excluded.batch, served_at = excluded.served_at
    where known.batch < excluded.batch;
  if not found then return; end if;
  perform add_combinations(at_bucket, combinations);
  perform add_hours(at_bucket, array[new_hours]);
end
$body$;

-- Stores the devices that were served as a group and version on a day; repeating it changes nothing.
create or replace function add_exposures(at_bucket integer, exposures json) returns void
{{planned_once}} as $body$
begin
  insert into metric_exposures (bucket, environment, day, device_id, user_group, version)
  select at_bucket, environment, day, device_id, user_group, version
  from json_to_recordset(exposures) as input(
    environment text, day int, device_id text, user_group text, version text)
  order by environment, day, device_id, user_group, version
  on conflict do nothing;
end
$body$;
