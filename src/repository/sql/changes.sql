-- The outbox of changes, for webhooks and for readers of changes.

-- Appends a change in the transaction that makes it, and returns its number. An empty environment means all.
create or replace function append_change(
  at_bucket integer, of_environment text, of_kind text, of_data json
) returns bigint {{planned_once}} as $body$
declare
  taken bigint := next_numbers(at_bucket, 'changes', 0, 1);
begin
  insert into changes (bucket, number, environment, change_id, kind, data, changed_at)
  values (at_bucket, taken, of_environment, gen_random_uuid(), of_kind, of_data, clock_timestamp());
  return taken;
end
$body$;

-- Appends the writes of items with these numbers: a change for each environment and 200 items.
create or replace function append_item_changes(at_bucket integer, first_number bigint, item_count integer)
returns void language plpgsql set search_path from current as $body$
declare
  part record;
begin
  for part in
    select environment, json_agg(json_build_object(
        'item_type', item_type, 'item_id', item_id, 'revision', revision, 'enabled', enabled)) as written
    from items where bucket = at_bucket and number between first_number and first_number + item_count - 1
    group by environment, (number - first_number) / 200
  loop
    perform append_change(at_bucket, part.environment, 'items.changed', json_build_object('items', part.written));
  end loop;
end
$body$;
