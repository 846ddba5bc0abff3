/**
 * Stores events: a call of a function of the database (sql/store-events.sql) for each bucket that a
 * group of concurrent requests writes to, which is one round trip and one transaction. Histories and
 * counts follow, many events at once (aggregate-events.ts).
 *
 * An event with an id is stored in the bucket of its id, where a repetition meets it; the others where
 * the node's lane is at home. The usual case is that all events of a group are new. If some are not, the
 * function stores nothing and names them, and the others are sent again.
 */
import { DomainError } from '../../errors.ts';
import { bucketCountOf, bucketOf, groupByBucket, listBuckets } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { encodeList } from '../encode-values.ts';
import { anonymousDevice, type EventRow } from '../event-row.ts';
import { eventIdDays, storedMeanwhile } from '../function-constants.ts';
import type { Shape } from '../row-shape.ts';
import { storable } from '../storable.ts';
import type { PendingEvents } from './pending-events.ts';

const storeText = `
select repeated, first_number as "firstNumber", received_ms as "receivedAtMs"
from store_events($1, $2, $3, $4, $5)`;

/** Each one more means that yet another transaction stored an id of the group. */
const mostAttempts = 100;

export type StoreOptions = {
  /** Of this node [1]. */
  lane?: number;
  /** Learns of what was stored. */
  pending?: PendingEvents;
};

/**
 * Of each event of a request whether it was stored now, false for a repeated event id; or why the
 * request failed. Then some of its events with ids may have been stored, and none without: to send it
 * again is safe as far as its events have ids.
 */
export type StoreOutcome = boolean[] | DomainError;

/**
 * Stores the events of several requests. A repetition within the call counts: its first event is
 * stored. A request that its content spoils fails alone.
 */
export async function storeRequests(
  db: Database,
  requests: readonly EventRow[][],
  { lane = 1, pending }: StoreOptions = {},
): Promise<StoreOutcome[]> {
  const bucketCount = await bucketCountOf(db);
  const home = lane % bucketCount;
  const { rows, repetitions } = withoutRepetitions(requests);
  const store = createStore(db, { lane, pending });
  const bucketOfRow = ({ event: { environment, eventId } }: NumberedEvent) =>
    eventId === undefined ? home : bucketOf(bucketCount, environment, eventId);
  const withIds = new Set([
    ...rows.filter(({ event }) => event.eventId !== undefined).map(({ request }) => request),
    ...repetitions.map(({ request }) => request),
  ]);
  const isLast = ({ event, request }: NumberedEvent) => event.eventId === undefined && withIds.has(request);
  /** Then each request is stored whole or not at all. */
  const isOneCall = repetitions.length === 0 && rows.every((row) => bucketOfRow(row) === home);
  const first = isOneCall ? rows : rows.filter((row) => !isLast(row));
  await Promise.all(
    Array.from(groupByBucket(first, bucketOfRow), ([bucket, group]) => store.run(bucket, group)),
  );
  for (const { request, of } of repetitions) {
    if (store.failures.has(of) && !store.failures.has(request)) store.failures.set(request, tryAgain());
  }
  /** What no id protects from being stored twice is stored when nothing else can fail any more. */
  if (!isOneCall)
    await store.run(
      home,
      rows.filter((row) => isLast(row) && !store.failures.has(row.request)),
    );
  let ordinal = 0;
  return requests.map((events, request) => {
    const stored = events.map(() => store.stored.has(ordinal++));
    return store.failures.get(request) ?? stored;
  });
}

/** Stores groups of events and gathers what became of them. */
function createStore(db: Database, { lane, pending }: { lane: number; pending?: PendingEvents }) {
  const stored = new Set<number>();
  const failures = new Map<number, DomainError>();
  const storeNew = async (bucket: number, group: NumberedEvent[]): Promise<void> => {
    let rows = group;
    while (rows.length > 0) {
      const outcome = await tryStore(db, bucket, lane, rows);
      const repeated = new Set(outcome.repeated);
      if (repeated.size > 0) {
        rows = rows.filter(({ ordinal }) => !repeated.has(ordinal));
        continue;
      }
      const [firstNumber, receivedAtMs] = [outcome.firstNumber!, outcome.receivedAtMs!];
      pending?.add({ bucket, lane, firstNumber, receivedAtMs, events: rows.map(({ event }) => event) });
      break;
    }
    for (const { ordinal } of rows) stored.add(ordinal);
  };
  const run = async (bucket: number, rows: NumberedEvent[]): Promise<void> => {
    try {
      await storeNew(bucket, rows);
    } catch (error) {
      const failure = error as DomainError;
      const byRequest = Map.groupBy(rows, ({ request }) => request);
      const isShared = byRequest.size > 1 && failure.reason !== 'UNAVAILABLE';
      if (isShared) for (const group of byRequest.values()) await run(bucket, group);
      else for (const request of byRequest.keys()) failures.set(request, failure);
    }
  };
  return { stored, failures, run };
}

type StoreAnswer = {
  /** The ordinals of events that are known, and then nothing was stored; none when all were. */
  repeated: number[];
  /** Null when nothing was stored. */
  firstNumber: number | null;
  receivedAtMs: number | null;
};

const storeShape: Shape<StoreAnswer> = { repeated: 'int4[]', firstNumber: 'int8?', receivedAtMs: 'float8?' };

async function tryStore(
  db: Database,
  bucket: number,
  lane: number,
  rows: NumberedEvent[],
): Promise<StoreAnswer> {
  const values = [bucket, lane, ...encodeGroup(rows)];
  for (let attempt = 1; ; attempt++) {
    try {
      return (await query(db, { name: 'store-events', text: storeText, values }, storeShape))[0];
    } catch (error) {
      if (attempt === mostAttempts || !wasStoredMeanwhile(error)) throw error;
    }
  }
}

function wasStoredMeanwhile(error: unknown): boolean {
  return ((error as DomainError).cause as { code?: string } | undefined)?.code === storedMeanwhile;
}

const idTables = ['event_claims', 'event_ids'] as const;

/** Forgets event ids past their time; returns how many. One that is claimed anew meanwhile stays: its row is looked at again. */
export async function deleteExpiredEventIds(db: Database, limit: number): Promise<number> {
  let count = 0;
  for (const bucket of await listBuckets(db)) {
    for (const table of idTables) {
      const isExpired = `bucket = $1 and received_at < now() - make_interval(days => ${eventIdDays})`;
      const text = `
        delete from ${table} where ${isExpired}
          and ctid = any(array(select ctid from ${table} where ${isExpired} limit $2))`;
      count += await execute(db, { name: `delete-expired-${table}`, text, values: [bucket, limit] });
    }
  }
  return count;
}

/** `ordinal` counts the events of all requests. */
type NumberedEvent = { ordinal: number; request: number; event: EventRow };

/** A request with an event that stands in another one of the group before. */
type Repetition = { request: number; of: number };

function withoutRepetitions(requests: readonly EventRow[][]): {
  rows: NumberedEvent[];
  repetitions: Repetition[];
} {
  const seen = new Map<string, number>();
  const rows: NumberedEvent[] = [];
  const repetitions: Repetition[] = [];
  let ordinal = -1;
  for (const [request, events] of requests.entries()) {
    for (const given of events) {
      ordinal += 1;
      const event = withStorableIds(given);
      if (event.eventId !== undefined) {
        const key = JSON.stringify([
          event.environment,
          event.eventId,
          event.eventType,
          event.isPublic ?? false,
        ]);
        const of = seen.get(key);
        if (of !== undefined) {
          if (of !== request) repetitions.push({ request, of });
          continue;
        }
        seen.set(key, request);
      }
      rows.push({ ordinal, request, event });
    }
  }
  return { rows, repetitions };
}

function tryAgain(): DomainError {
  return new DomainError(
    'UNAVAILABLE',
    'The first event of a repeated event_id could not be stored; try again.',
  );
}

/**
 * Two ids that are stored as the same one are the same; nobody is kept under the anonymous device. Nearly every event stays
 * the one it is.
 */
function withStorableIds(event: EventRow): EventRow {
  const deviceId = event.deviceId === anonymousDevice ? undefined : storableId(event.deviceId);
  const [userId, eventId] = [storableId(event.userId), storableId(event.eventId)];
  const isStorable = deviceId === event.deviceId && userId === event.userId && eventId === event.eventId;
  return isStorable ? event : { ...event, deviceId, userId, eventId };
}

function storableId(id: string | undefined): string | undefined {
  return id === undefined ? undefined : storable(id);
}

/** The arguments of `store_events`. */
function encodeGroup(rows: NumberedEvent[]): (string | null)[] {
  const events: unknown[] = [];
  const claims: unknown[] = [];
  for (const { ordinal, event } of rows) {
    pushValues(events, event);
    const { environment, eventId, eventType, isPublic = false } = event;
    if (eventId !== undefined) claims.push(ordinal, environment, eventId, eventType, isPublic);
  }
  const arePublic = rows.map(({ event }) => event.isPublic ?? false);
  return [
    encodeList(events),
    claims.length > 0 ? encodeList(claims) : null,
    arePublic.includes(true) ? `{${arePublic.join(',')}}` : null,
  ];
}

/** JSON as Postgres can hold it and encode-values.ts can write it. */
function encodeDetails(details: unknown): string {
  const text = JSON.stringify(details);
  const whole = text.includes('\\u') ? text.replaceAll(unstorable, '$1\\ufffd') : text;
  return nonCharacters.test(whole) ? whole.replaceAll(allNonCharacters, escapeCharacter) : whole;
}

/** NUL and lone surrogates, as JSON.stringify escapes them; `$1` is escaped backslashes. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

const nonCharacters = /[\ufdd0\ufdd1]/;
const allNonCharacters = /[\ufdd0\ufdd1]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

/** In the order of the columns in sql/store-events.sql. */
function pushValues(values: unknown[], event: EventRow): void {
  values.push(
    event.environment,
    new Date(event.occurredAtMs).toISOString(),
    event.eventType,
    event.deviceId,
    event.userId,
    event.itemType,
    event.itemId,
    event.requestId,
    event.listName,
    event.pageType,
    event.channel,
    event.userGroup,
    event.version,
    event.robot,
    event.eventId,
    encodeDetails(event.details),
  );
}
