-- Numbers the rows of a feed.

-- Takes the next `amount` numbers of a bucket's feed and returns the last of them. The counter stays locked until the
-- transaction ends, so numbers are in the order of commit. The first use creates the counter.
create or replace function next_numbers(
  at_bucket integer, of_feed text, of_lane integer, amount bigint
) returns bigint language plpgsql set search_path from current as $body$
declare
  taken bigint;
begin
  update feeds set last = last + amount
  where bucket = at_bucket and feed = of_feed and lane = of_lane returning last into taken;
  if not found then
    insert into feeds as known (bucket, feed, lane, last) values (at_bucket, of_feed, of_lane, amount)
    on conflict (bucket, feed, lane) do update set last = known.last + excluded.last
    returning last into taken;
  end if;
  return taken;
end
$body$;
