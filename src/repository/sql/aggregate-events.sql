-- Aggregates a range of a lane's events into one bucket: its histories and its counts.

-- Does nothing unless the bucket has come exactly to `from_numbers` in the lane, and then returns how far it has come;
-- returns null when the range was aggregated. So a range counts once, whichever node aggregates it and however often.
-- Both lists have a number for each bucket that events are stored in.
--
-- Aggregations of a bucket take turns by its counter, which is locked first; so they lock rows in any order. It commits
-- without waiting for the disk: a crash of the server may lose the last half second of aggregation, together with how
-- far it had come, and the events are aggregated again.
create or replace function fold_events(
  at_bucket integer, of_lane integer, from_numbers bigint[], until_numbers bigint[], new_histories text,
  combinations json, new_keys text, new_devices text, new_hours json, new_clicks json, new_purchases json,
  consuming text[], leaving json
) returns text[] {{planned_once}} as $body$
declare
  known_numbers bigint[];
  parts json[] := case when new_hours is null then '{}'::json[] else array[new_hours] end;
begin
  {{unflushed}}
  perform next_numbers(at_bucket, 'folds', 0, 1);
  select reached into known_numbers from folded where bucket = at_bucket and lane = of_lane;
  known_numbers := coalesce(known_numbers, array_fill(0::bigint, array[cardinality(from_numbers)]));
  if known_numbers <> from_numbers then return known_numbers::text[]; end if;
  if leaving is not null then perform leave_devices(at_bucket, leaving); end if;
  if new_histories is not null then perform fold_histories(at_bucket, new_histories, consuming); end if;
  if combinations is not null then perform add_combinations(at_bucket, combinations); end if;
  if new_keys is not null or new_devices is not null then
    parts := parts || count_people(at_bucket, new_keys, new_devices);
  end if;
  if new_clicks is not null or new_purchases is not null then
    parts := parts || attribute(at_bucket, new_clicks, new_purchases);
  end if;
  if cardinality(parts) > 0 then perform add_hours(at_bucket, parts); end if;
  insert into folded (bucket, lane, reached) values (at_bucket, of_lane, until_numbers)
  on conflict (bucket, lane) do update set reached = excluded.reached;
  return null;
end
$body$;
