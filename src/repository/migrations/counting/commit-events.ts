import { type Kysely, sql } from 'kysely';
import { rowsOf, splitColumns, valueMark } from './columns.ts';
import { plannedOnce } from './count-events.ts';

/**
 * Stores a group of events, their histories and counts in one round trip; or answers which of them are known, and stores nothing.
 *
 * The caller has gathered the group for the usual case that all events are new, so that a user, device or hour of it is one row
 * here. It takes a shared lock that is the barrier of `findSettledSequence`: sequence numbers are handed out in one order and
 * committed in another. A device that is linked to its user already is not touched: to lock a row costs as much as to write it.
 * Event ids that another transaction stores meanwhile raise PE001, and the caller asks again.
 */
export async function createCommitFunction(db: Kysely<unknown>): Promise<void> {
  await sql.raw(commitEvents).execute(db);
}

const sequenceLock = 7_317_003;
const eventIdDays = 7;

/** Characters of the older entries; 300 usual ones take 15,000, and of longer ones fewer are kept. */
const mostOlderCharacters = 24_000;

/** Bytes of the latest entries, about twenty, after which they join the older ones. */
const mostRecentBytes = 1_000;

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

const historyTypes = {
  environment: 'text',
  subject: 'text',
  linked_user: 'text',
  entries: 'text',
  impressions: 'text',
};

/** Assignments of an upsert that put new lines before a column's and its older part's; both may be empty. */
function appendLines(column: 'entries' | 'impressions'): string {
  const isFull = `excluded.${column} <> '' and octet_length(known.${column}) >= ${mostRecentBytes}`;
  const joined = (first: string, second: string) =>
    `concat_ws(E'\\n', nullif(${first}, ''), nullif(${second}, ''))`;
  return `
      ${column} = case when ${isFull} then excluded.${column}
        else ${joined(`excluded.${column}`, `known.${column}`)} end,
      older_${column} = case when ${isFull}
        then left(${joined(`known.${column}`, `known.older_${column}`)}, ${mostOlderCharacters})
        else known.older_${column} end`;
}

const commitEvents = `
create function commit_events(
  new_events text, new_ids text, new_histories text,
  combinations json, new_keys text, new_devices text, new_hours json, new_clicks json, new_purchases json
) returns int[] ${plannedOnce} as $body$
declare
  event_columns text[] := ${splitColumns('new_events')};
  id_columns text[] := ${splitColumns('new_ids')};
  history_columns text[] := ${splitColumns('new_histories')};
  repeated int[];
  claimed_count int;
begin
  if new_ids is not null then
    repeated := array(
      select ordinal from ${rowsOf('id_columns', idTypes)} as input
      where exists (
        select from event_ids as known where known.environment = input.environment and known.event_id = input.event_id
          and received_at >= now() - interval '${eventIdDays} days'));
    if cardinality(repeated) > 0 then return repeated; end if;
    with claimed as (
      insert into event_ids as known (environment, event_id)
      select environment, event_id from ${rowsOf('id_columns', idTypes)} as input
      order by environment, event_id
      on conflict (environment, event_id) do update set received_at = excluded.received_at
        where known.received_at < now() - interval '${eventIdDays} days'
      returning 1
    )
    select count(*) into claimed_count from claimed;
    if claimed_count < cardinality(string_to_array(id_columns[1], '${valueMark}')) then
      raise exception 'An event of the group was stored meanwhile.' using errcode = 'PE001';
    end if;
  end if;
  perform pg_advisory_xact_lock_shared(${sequenceLock});
  insert into events (${Object.keys(eventTypes).join(', ')})
  select ${Object.keys(eventTypes).join(', ')} from ${rowsOf('event_columns', eventTypes)} as input;
  if new_histories is not null then
    insert into histories as known (environment, subject, linked_user, entries, impressions)
    select environment, subject, linked_user, coalesce(entries, ''), coalesce(impressions, '')
    from ${rowsOf('history_columns', historyTypes)} as input
    where entries is not null or impressions is not null or not exists (
      select from histories as known where known.environment = input.environment and known.subject = input.subject
        and known.linked_user = input.linked_user)
    order by environment, subject
    on conflict (environment, subject) do update set
      ${appendLines('entries')},
      ${appendLines('impressions')},
      linked_user = coalesce(excluded.linked_user, known.linked_user),
      updated_at = now()
    where excluded.entries <> '' or excluded.impressions <> '' or excluded.linked_user is distinct from known.linked_user;
  end if;
  perform count_events(combinations, new_keys, new_devices, new_hours, new_clicks, new_purchases);
  return '{}';
end
$body$`;
