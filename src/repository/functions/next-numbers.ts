/** Numbers for rows of a feed. */

import type { DatabaseFunction } from './database-function.ts';

/**
 * Takes the next `amount` numbers of a bucket's feed and answers the last of them. The counter stays
 * locked until the transaction ends, so numbers are in the order of commit. A counter is made when
 * it is used first.
 */
export const nextNumbers: DatabaseFunction = {
  signature: 'next_numbers(integer, text, integer, bigint)',
  isOfBucket: false,
  text: () => `
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
$body$`,
};
