import { type Kysely, sql } from 'kysely';
import { countRows, declareRows, rowsOf } from './columns.ts';
import { plannedOnce } from './count-events.ts';

/**
 * Stores a group of events in one round trip; or answers which of them are known, and stores nothing.
 *
 * It takes a shared lock that is the barrier of `findSettledSequence`: sequence numbers are handed out in one order and committed in
 * another. Event ids that another transaction stores meanwhile raise PE001, and the caller asks again. The numbers are listed only
 * where another node's came between them.
 */
export async function createStoreFunction(db: Kysely<unknown>): Promise<void> {
  await sql.raw(storeEvents).execute(db);
}

/** Any number, as long as nothing else takes it. */
export const sequenceLock = 7_317_003;
/** A repeated event id is recognised for so long. */
export const eventIdDays = 7;

/** In the order in which `commitEvents` writes them, here and below. */
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

const storeEvents = `
create or replace function store_events(
  new_events text, new_ids text, out repeated int[], out first_sequence bigint, out sequences bigint[]
) ${plannedOnce} as $body$
declare
  ${declareRows('event', 'new_events', eventTypes)}
  ${declareRows('id', 'new_ids', idTypes)}
  claimed_count int;
begin
  if new_ids is not null then
    repeated := array(
      select ordinal from ${rowsOf('id', idTypes)} as input
      where exists (
        select from event_ids as known where known.environment = input.environment and known.event_id = input.event_id
          and received_at >= now() - interval '${eventIdDays} days'));
    if cardinality(repeated) > 0 then return; end if;
    with claimed as (
      insert into event_ids as known (environment, event_id)
      select environment, event_id from ${rowsOf('id', idTypes)} as input
      order by environment, event_id
      on conflict (environment, event_id) do update set received_at = excluded.received_at
        where known.received_at < now() - interval '${eventIdDays} days'
      returning 1
    )
    select count(*) into claimed_count from claimed;
    if claimed_count < ${countRows('id', 'ordinal')} then
      raise exception 'An event of the group was stored meanwhile.' using errcode = 'PE001';
    end if;
  end if;
  repeated := '{}';
  perform pg_advisory_xact_lock_shared(${sequenceLock});
  with stored as (
    insert into events (${Object.keys(eventTypes).join(', ')})
    select ${Object.keys(eventTypes).join(', ')} from ${rowsOf('event', eventTypes)} as input
    returning sequence
  )
  select min(sequence), case when max(sequence) - min(sequence) >= count(*) then array_agg(sequence) end
  into first_sequence, sequences from stored;
end
$body$`;
