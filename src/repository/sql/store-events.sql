-- Stores the events of a group that belong to one bucket.

-- In the order in which events/events.ts writes them.
{{columns event: environment text, occurred_at timestamptz, event_type text, device_id text, user_id text,
  item_type text, item_id text, request_id text, list_name text, page_type text, channel text, user_group text,
  version text, robot boolean, event_id text, details json}}
{{columns claim: ordinal int, environment text, event_id text, event_type text, is_public boolean}}

-- A claim's key: an id counts within its type, and apart for events of untrusted callers.
{{define claim_key}}environment, event_id, event_type, is_public{{end}}

-- Stores all events; or, when some are known by their id, returns their ordinals in `repeated` and stores nothing.
-- Raises PE001 when another transaction has stored one of the ids meanwhile; the caller tries again. Ids in `event_ids`
-- are from before ids had a scope, and count in every scope.
--
-- `are_public` and `item_groups` have a value for each event; null when all come from trusted callers, or no item has a
-- group.
--
-- The time of arrival is read while the lane is locked, so within a lane it never goes back.
create or replace function store_events(
  at_bucket integer, of_lane integer, new_events text, new_claims text, are_public boolean[],
  item_groups text[],
  out repeated integer[], out first_number bigint, out received_ms float8
) {{planned_once}} as $body$
declare
  event_values text[] := {{split new_events}};
  claim_values text[] := {{split new_claims}};
  event_count integer := {{row_count event}};
  claimed_count integer;
  has_unscoped boolean;
  moment timestamptz := now();
  oldest timestamptz := now() - interval '{{event_id_days}} days';
begin
  if new_claims is not null then
    has_unscoped := exists (select from event_ids where bucket = at_bucket);
    repeated := array(
      select ordinal from {{rows claim}} as input
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
      insert into event_claims as known (bucket, {{claim_key}}, received_at)
      select at_bucket, {{claim_key}}, moment from {{rows claim}} as input
      order by {{claim_key}}
      on conflict (bucket, {{claim_key}}) do update set received_at = excluded.received_at
        where known.received_at < oldest
      returning 1
    )
    select count(*) into claimed_count from claimed;
    if claimed_count < {{row_count claim}} then
      raise exception 'An event of the group was stored meanwhile.' using errcode = '{{stored_meanwhile}}';
    end if;
  end if;
  repeated := '{}';
  first_number := next_numbers(at_bucket, 'events', of_lane, event_count) - event_count + 1;
  moment := clock_timestamp();
  received_ms := extract(epoch from moment) * 1000;
  insert into events (bucket, lane, number, received_at, is_public, item_group, {{names event}})
  select at_bucket, of_lane, first_number + row_place - 1, moment, coalesce(are_public[row_place], false),
    item_groups[row_place], {{names event}}
  from {{rows event}} as input;
end
$body$;
