/**
 * Stores events: one call of a function of the database (migrations/counting/store-events.ts) for a group of concurrent requests, which is
 * one round trip and one transaction. Histories and counts follow, many events at once (event-folding.ts).
 *
 * The usual case is that all events of a group are new. If some are not, the function stores nothing and names them, and the others are
 * sent again.
 */
import { sql } from 'kysely';
import type { DomainError } from '../../errors.ts';
import { type Database, query } from '../database.ts';
import { encodeColumns } from '../encode-columns.ts';
import { anonymousDevice, type EventRow } from '../event-row.ts';
import { eventIdDays, sequenceLock } from '../migrations/counting/store-events.ts';
import { storable } from '../storable.ts';
import type { UnfoldedEvents } from './unfolded-events.ts';

const storeText = 'select repeated, first_sequence as "firstSequence", sequences from store_events($1, $2)';

/** The function's own code: an event id of the group was stored by another transaction meanwhile. */
const storedMeanwhile = 'PE001';

/** Each one more means that yet another transaction stored an id of the group. */
const mostAttempts = 100;

/**
 * Commits all events or none, and says of each whether it was stored; false is a repeated event id.
 * A repetition within the call counts: its first event is stored.
 * @param unfolded Learns of what was stored.
 */
export async function commitEvents(
  db: Database,
  events: EventRow[],
  unfolded?: UnfoldedEvents,
): Promise<boolean[]> {
  const stored = new Array<boolean>(events.length).fill(false);
  let rows = withoutRepetitions(events);
  while (rows.length > 0) {
    const outcome = await tryStore(db, rows);
    const repeated = new Set(outcome.repeated);
    if (repeated.size > 0) {
      rows = rows.filter(({ ordinal }) => !repeated.has(ordinal));
      continue;
    }
    unfolded?.add(
      rows.map(({ event }) => event),
      sequencesOf(outcome, rows.length),
    );
    break;
  }
  for (const { ordinal } of rows) stored[ordinal] = true;
  return stored;
}

type StoreOutcome = {
  /** The ordinals of events that are known, and then nothing was stored; none when all were. */
  repeated: number[];
  firstSequence: number;
  /** Null when they follow the first one. */
  sequences: string[] | null;
};

function sequencesOf({ firstSequence, sequences }: StoreOutcome, count: number): number[] {
  return sequences?.map(Number) ?? Array.from({ length: count }, (_, place) => firstSequence + place);
}

async function tryStore(db: Database, rows: NumberedEvent[]): Promise<StoreOutcome> {
  const values = encodeGroup(rows);
  for (let attempt = 1; ; attempt++) {
    try {
      const statement = { name: 'store-events', text: storeText, values };
      return (await query<StoreOutcome>(db, statement))[0];
    } catch (error) {
      if (attempt === mostAttempts || !wasStoredMeanwhile(error)) throw error;
    }
  }
}

function wasStoredMeanwhile(error: unknown): boolean {
  return ((error as DomainError).cause as { code?: string } | undefined)?.code === storedMeanwhile;
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
  for (const [ordinal, given] of events.entries()) {
    const event = withStorableIds(given);
    if (event.eventId !== undefined) {
      const key = JSON.stringify([event.environment, event.eventId]);
      if (seen.has(key)) continue;
      seen.add(key);
    }
    rows.push({ ordinal, event });
  }
  return rows;
}

/** Two ids that are stored as the same one are the same; nobody is kept under the anonymous device. */
function withStorableIds(event: EventRow): EventRow {
  const { deviceId, userId, eventId } = event;
  return {
    ...event,
    deviceId: deviceId === undefined || deviceId === anonymousDevice ? undefined : storable(deviceId),
    userId: userId && storable(userId),
    eventId: eventId && storable(eventId),
  };
}

/** The arguments of `store_events`. */
function encodeGroup(rows: NumberedEvent[]): (string | null)[] {
  const events = rows.map(({ event }) => rowOf(event));
  const ids = rows
    .filter(({ event }) => event.eventId !== undefined)
    .map(({ ordinal, event }) => ({ ordinal, environment: event.environment, event_id: event.eventId }));
  return [encodeColumns(events, eventColumns), encodeColumns(ids, ['ordinal', 'environment', 'event_id'])];
}

/** JSON as Postgres can hold it and encode-columns.ts can write it. */
function encodeDetails(details: unknown): string {
  const text = JSON.stringify(details);
  const whole = text.includes('\\u') ? text.replaceAll(unstorable, '$1\\ufffd') : text;
  return nonCharacters.test(whole) ? whole.replaceAll(allNonCharacters, escapeCharacter) : whole;
}

/** NUL and lone surrogates, as JSON.stringify escapes them; `$1` is escaped backslashes. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

const nonCharacters = /[\ufdd0-\ufdd2]/;
const allNonCharacters = /[\ufdd0-\ufdd2]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

const eventColumns = [
  'environment',
  'occurred_at',
  'event_type',
  'device_id',
  'user_id',
  'item_type',
  'item_id',
  'request_id',
  'list_name',
  'page_type',
  'channel',
  'user_group',
  'version',
  'robot',
  'event_id',
  'details',
] as const;

function rowOf(event: EventRow): Record<(typeof eventColumns)[number], string | boolean | undefined> {
  return {
    environment: event.environment,
    occurred_at: new Date(event.occurredAtMs).toISOString(),
    event_type: event.eventType,
    device_id: event.deviceId,
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
    details: encodeDetails(event.details),
  };
}
