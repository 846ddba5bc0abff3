-- Finds a number in the event log by time.

-- Returns the number of an environment's first event in a lane that arrived at `since` or later, null when there is
-- none. Times of arrival never go back within a lane, so a binary search finds it in about twenty reads.
create or replace function first_event_since(
  at_bucket integer, of_environment text, of_lane integer, since timestamptz
) returns text {{planned_once}} as $body$
declare
  low bigint := 1;
  high bigint := (select last + 1 from feeds where bucket = at_bucket and feed = 'events' and lane = of_lane);
  found_number bigint;
  found_at timestamptz;
  first_number bigint;
begin
  while low < high loop
    select number, received_at into found_number, found_at from events
    where bucket = at_bucket and environment = of_environment and lane = of_lane
      and number >= (low + high) / 2
    order by bucket, environment, lane, number limit 1;
    if found and found_number < high and found_at < since then
      low := found_number + 1;
    else
      if found and found_at >= since then first_number := least(first_number, found_number); end if;
      high := (low + high) / 2;
    end if;
  end loop;
  return first_number::text;
end
$body$;
