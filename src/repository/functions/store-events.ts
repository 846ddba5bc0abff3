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

const claimTypes = {
  ordinal: 'int',
  environment: 'text',
  event_id: 'text',
  event_type: 'text',
  is_public: 'boolean',
};

/** What tells one claim from another: an id counts within its type, and apart for events that nobody vouches for. */
const claimKey = 'environment, event_id, event_type, is_public';

const columns = Object.keys(eventTypes).join(', ');

/**
 * Stores all events, or answers which of them are known by their id and stores nothing. Ids that
 * another transaction stores meanwhile raise PE001, and the caller asks again. Ids in `event_ids` are of
 * before they had a scope, and count in each.
 *
 * `are_public` has a value for each event; null where all are a back end's.
 *
 * The moment of arrival is read when the lane is locked, so that in a lane it never goes back.
 */
export const storeEvents: DatabaseFunction = {
  signature: 'store_events(integer, integer, text, text, boolean[])',
  isOfBucket: true,
  text: (isCluster) => `
create or replace function store_events(
  at_bucket integer, of_lane integer, new_events text, new_claims text, are_public boolean[],
  out repeated integer[], out first_number bigint, out received_ms float8
) ${plannedOnce(isCluster)} as $body$
declare
  ${declareRows('event', 'new_events')}
  ${declareRows('claim', 'new_claims')}
  event_count integer := ${countRows('event', eventTypes)};
  claimed_count integer;
  has_unscoped boolean;
  moment timestamptz := now();
  oldest timestamptz := now() - interval '${eventIdDays} days';
begin
  if new_claims is not null then
    has_unscoped := exists (select from event_ids where bucket = at_bucket);
    repeated := array(
      select ordinal from ${rowsOf('claim', claimTypes, isCluster)} as input
      where (
        select known.received_at >= oldest from event_claims as known
        where known.bucket = at_bucket and known.environment = input.environment
          and known.event_id = input.event_id and known.event_type = input.event_type
          and known.is_public = input.is_public)
      or case when has_unscoped then (
        select known.received_at >= oldest from event_ids as known
        where known.bucket = at_bucket and known.environment = input.environment
          and known.event_id = input.event_id) end);
    if cardinality(repeated) > 0 then return; end if;
    with claimed as (
      insert into event_claims as known (bucket, ${claimKey}, received_at)
      select at_bucket, ${claimKey}, moment from ${rowsOf('claim', claimTypes, isCluster)} as input
      order by ${claimKey}
      on conflict (bucket, ${claimKey}) do update set received_at = excluded.received_at
        where known.received_at < oldest
      returning 1
    )
    select count(*) into claimed_count from claimed;
    if claimed_count < ${countRows('claim', claimTypes)} then
      raise exception 'An event of the group was stored meanwhile.' using errcode = '${storedMeanwhile}';
    end if;
  end if;
  repeated := '{}';
  first_number := next_numbers(at_bucket, 'events', of_lane, event_count) - event_count + 1;
  moment := clock_timestamp();
  received_ms := extract(epoch from moment) * 1000;
  insert into events (bucket, lane, number, received_at, is_public, ${columns})
  select at_bucket, of_lane, first_number + row_place - 1, moment, coalesce(are_public[row_place], false), ${columns}
  from ${rowsOf('event', eventTypes, isCluster)} as input;
end
$body$`,
};
