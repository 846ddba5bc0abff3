/** Stores the events of a group that belong to one bucket. */

import { type DatabaseFunction, plannedOnce } from './database-function.ts';
import { countRows, declareRows, rowsOf } from './rows.ts';

/** A repeated event id is recognised for so long. */
export const eventIdDays = 7;

/** The function's own code: an event id of the group was stored by another transaction meanwhile. */
export const storedMeanwhile = 'PE001';

/** In the order in which events.ts writes them, here and below. */
const eventTypes = {
  environment: 'text',
  occurred_at: 'timestamptz',
  event_type: 'text',
  device_id: 'text',
  user_id: 'text',
  item_type: 'text',
  item_id: 'text',
  request_id: 'text',
  list_name: 'text',
  page_type: 'text',
  channel: 'text',
  user_group: 'text',
  version: 'text',
  robot: 'boolean',
  event_id: 'text',
  details: 'json',
};

const idTypes = { ordinal: 'int', environment: 'text', event_id: 'text' };

const columns = Object.keys(eventTypes).join(', ');

/**
 * Stores all events, or answers which of them are known by their id and stores nothing. Ids that
 * another transaction stores meanwhile raise PE001, and the caller asks again.
 *
 * The moment of arrival is read when the lane is locked, so that in a lane it never goes back.
 */
export const storeEvents: DatabaseFunction = {
  signature: 'store_events(integer, integer, text, text)',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function store_events(
  at_bucket integer, of_lane integer, new_events text, new_ids text,
  out repeated integer[], out first_number bigint, out received_ms float8
) ${plannedOnce(isCluster)} as $body$
declare
  ${declareRows('event', 'new_events')}
  ${declareRows('id', 'new_ids')}
  event_count integer := ${countRows('event', eventTypes)};
  claimed_count integer;
  moment timestamptz := now();
  oldest timestamptz := now() - interval '${eventIdDays} days';
begin
  if new_ids is not null then
    repeated := array(
      select ordinal from ${rowsOf('id', idTypes, isCluster)} as input
      where (
        select known.received_at >= oldest from event_ids as known
        where known.bucket = at_bucket and known.environment = input.environment
          and known.event_id = input.event_id));
    if cardinality(repeated) > 0 then return; end if;
    with claimed as (
      insert into event_ids as known (bucket, environment, event_id, received_at)
      select at_bucket, environment, event_id, moment from ${rowsOf('id', idTypes, isCluster)} as input
      order by environment, event_id
      on conflict (bucket, environment, event_id) do update set received_at = excluded.received_at
        where known.received_at < oldest
      returning 1
    )
    select count(*) into claimed_count from claimed;
    if claimed_count < ${countRows('id', idTypes)} then
      raise exception 'An event of the group was stored meanwhile.' using errcode = '${storedMeanwhile}';
    end if;
  end if;
  repeated := '{}';
  first_number := next_numbers(at_bucket, 'events', of_lane, event_count) - event_count + 1;
  moment := clock_timestamp();
  received_ms := extract(epoch from moment) * 1000;
  insert into events (bucket, lane, number, received_at, ${columns})
  select at_bucket, of_lane, first_number + row_place - 1, moment, ${columns}
  from ${rowsOf('event', eventTypes, isCluster)} as input;
end
$body$`,
};
