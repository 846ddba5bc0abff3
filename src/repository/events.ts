/**
 * Stores events: one transaction for a group of concurrent requests. Its first statement stores them, the others keep the
 * metrics up (metric-counts.ts).
 *
 * The first statement claims event ids, inserts the events whose id was free, and appends those to the histories, in this order and
 * each sorted by key, so that two nodes cannot wait for each other. It takes a shared lock that `findSettledSequence` uses as a
 * barrier: sequence numbers are handed out in one order and committed in another.
 */
import { sql } from 'kysely';
import { type Database, inTransaction } from './database.ts';
import { appendLines, encodeEntry, maxHistoryEntries } from './histories.ts';
import { type AttributionWindow, anonymousDevice, defaultAttributionWindow, gather } from './metric-batch.ts';
import { count } from './metric-counts.ts';

/** A repeated event id is recognised for so long. */
const eventIdDays = 7;

/** Any number, as long as nothing else takes it. */
const sequenceLock = 7_317_003;

/** An event as it is stored; all ids are the callers' own strings. */
export type EventRow = {
  environment: string;
  eventType: string;
  occurredAtMs: number;
  deviceId?: string;
  userId?: string;
  itemType?: string;
  itemId?: string;
  requestId?: string;
  listName?: string;
  pageType?: string;
  channel?: string;
  userGroup?: string;
  version?: string;
  /** A robot's event is stored and goes to no history. */
  robot: boolean;
  /** Makes the event idempotent within its environment. */
  eventId?: string;
  /** The event as it was sent: a JSON value. */
  details: unknown;
};

const eventColumns = `
  environment, occurred_at, event_type, device_id, user_id, item_type, item_id, request_id, list_name, page_type, channel,
  user_group, version, robot, event_id, details`;

const commitStatement = `
with barrier as materialized (select pg_advisory_xact_lock_shared(${sequenceLock})),
input as materialized (
  select * from json_to_recordset($1::json) as input(
    ordinal int, environment text, occurred_at timestamptz, event_type text, device_id text, user_id text, item_type text,
    item_id text, request_id text, list_name text, page_type text, channel text, user_group text, version text,
    robot boolean, event_id text, details json, entry text, impression text)
),
claimed as (
  insert into event_ids as known (environment, event_id)
  select distinct environment, event_id from input where event_id is not null order by environment, event_id
  on conflict (environment, event_id) do update set received_at = excluded.received_at
    where known.received_at < now() - interval '${eventIdDays} days'
  returning environment, event_id
),
stored as materialized (
  select input.* from input left join claimed using (environment, event_id)
  where input.event_id is null or claimed.event_id is not null
),
inserted as (
  insert into events (${eventColumns}) select ${eventColumns} from barrier cross join stored order by ordinal
),
touched as (
  select environment, 'u:' || user_id as subject, null as linked_user, entry, impression, occurred_at, ordinal
  from stored where user_id is not null and coalesce(entry, impression) is not null
  union all
  select environment, 'd:' || device_id, null, entry, impression, occurred_at, ordinal
  from stored where user_id is null and device_id is not null and coalesce(entry, impression) is not null
  union all
  select environment, 'd:' || device_id, user_id, null, null, occurred_at, ordinal
  from stored where user_id is not null and device_id is not null and not robot
),
appended as (
  insert into histories (environment, subject, linked_user, entries, impressions)
  select environment, subject,
    (array_agg(linked_user order by ordinal desc) filter (where linked_user is not null))[1],
    coalesce(array_to_string(
      (array_agg(entry order by occurred_at desc, ordinal desc) filter (where entry is not null))[1:${maxHistoryEntries}],
      E'\\n'), ''),
    coalesce(array_to_string(
      (array_agg(impression order by occurred_at desc, ordinal desc) filter (where impression is not null))[1:${maxHistoryEntries}],
      E'\\n'), '')
  from touched group by environment, subject order by environment, subject
  on conflict (environment, subject) do update set
    ${appendLines('entries')},
    ${appendLines('impressions')},
    linked_user = coalesce(excluded.linked_user, histories.linked_user),
    updated_at = now()
  where excluded.entries <> '' or excluded.impressions <> '' or excluded.linked_user is distinct from histories.linked_user
)
select ordinal from stored`;

/**
 * Commits all events or none, and says of each whether it was stored; false is a repeated event id.
 * A repetition within the call counts: its first event is stored.
 */
export async function commitEvents(
  db: Database,
  events: EventRow[],
  attributionWindow: AttributionWindow = defaultAttributionWindow,
): Promise<boolean[]> {
  const stored = new Array<boolean>(events.length).fill(false);
  const rows = withoutRepetitions(events);
  if (rows.length === 0) return stored;
  const statement = { name: 'commit-events', text: commitStatement, values: [encodeRows(rows)] };
  await inTransaction(db, async (run) => {
    for (const { ordinal } of await run<{ ordinal: number }>(statement)) stored[ordinal] = true;
    await count(
      run,
      gather(
        events.filter((_, i) => stored[i]),
        attributionWindow,
      ),
    );
  });
  return stored;
}

/**
 * The highest sequence number below which every event is committed and visible. A follower reads up to it, remembers it and
 * goes on after it; it waits for the commits in flight, which takes milliseconds.
 */
export async function findSettledSequence(db: Database): Promise<number> {
  return db.kysely.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(sequenceLock)})`.execute(transaction);
    const { rows } = await sql<{ settled: number }>`
      select case when is_called then last_value else 0 end as settled from event_sequence`.execute(
      transaction,
    );
    return rows[0].settled;
  });
}

/** Forgets event ids past their time; returns how many. */
export async function deleteExpiredEventIds(db: Database, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event_ids where ctid in (
      select ctid from event_ids where received_at < now() - make_interval(days => ${eventIdDays}) limit ${limit}
    )`.execute(db.kysely);
  return Number(numAffectedRows);
}

type NumberedEvent = { ordinal: number; event: EventRow };

function withoutRepetitions(events: EventRow[]): NumberedEvent[] {
  const seen = new Set<string>();
  const rows: NumberedEvent[] = [];
  for (const [ordinal, event] of events.entries()) {
    if (event.eventId !== undefined) {
      const key = JSON.stringify([event.environment, event.eventId]);
      if (seen.has(key)) continue;
      seen.add(key);
    }
    rows.push({ ordinal, event });
  }
  return rows;
}

/**
 * One JSON text. For 1,000 events it costs this process 3.3 ms of CPU, the driver's arrays of columns (unnest) 7.3 ms, while the
 * whole round trip takes the same 14 ms; and the process is what is scarce.
 */
function encodeRows(rows: NumberedEvent[]): string {
  const text = JSON.stringify(rows.map(encodeRow));
  return text.includes('\\u') ? text.replaceAll(unstorable, '$1\\ufffd') : text;
}

/** NUL and lone surrogates, which Postgres text cannot hold, as JSON.stringify escapes them; `$1` is escaped backslashes. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** What somebody was shown; every other event is something they did. */
const impressionTypes = new Set([
  'impression',
  'search_impression',
  'batch_impression',
  'session_impression',
]);

function encodeRow({ ordinal, event }: NumberedEvent): Record<string, unknown> {
  const isImpression = impressionTypes.has(event.eventType);
  return {
    ordinal,
    environment: event.environment,
    occurred_at: new Date(event.occurredAtMs).toISOString(),
    event_type: event.eventType,
    device_id: event.deviceId === anonymousDevice ? undefined : event.deviceId,
    user_id: event.userId,
    item_type: event.itemType,
    item_id: event.itemId,
    request_id: event.requestId,
    list_name: event.listName,
    page_type: event.pageType,
    channel: event.channel,
    user_group: event.userGroup,
    version: event.version,
    robot: event.robot,
    event_id: event.eventId,
    details: event.details,
    entry: event.robot || isImpression ? undefined : encodeEntry(event),
    impression: !event.robot && isImpression ? encodeEntry(event) : undefined,
  };
}
