/**
 * Stores events. A group of concurrent requests makes one call of a database function
 * (sql/store-events.sql) per bucket: one round trip and one transaction. Histories and counts are
 * updated later, many events at once (aggregate-events.ts).
 *
 * An event with an ID is stored in the bucket of its ID, so repetitions are detected there. Other
 * events go to the home bucket of the node's lane. Usually all events of a group are new. Otherwise
 * the function stores nothing and returns the repeated ones; the rest is sent again.
 */

import { CompiledQuery, type Transaction } from 'kysely';
import { DomainError } from '../../errors.ts';
import { anonymousDevice } from '../../ranking/subject.ts';
import { bucketCountOf, bucketOf, listBuckets } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { encodeList } from '../encode-values.ts';
import type { EventRow } from '../event-row.ts';
import { eventIdDays, storedMeanwhile } from '../function-constants.ts';
import type { Schema } from '../schema.ts';
import { storable } from '../storable.ts';
import type { PendingEvents } from './pending-events.ts';
import type { StoredGroup } from './stored-event.ts';

const storeText = `
select repeated, first_number as "firstNumber", received_ms as "receivedAtMs"
from store_events($1, $2, $3, $4, $5, $6)`;

const mostAttempts = 100;

export type StoreOptions = {
  /** Lane of this node [1]. */
  lane?: number;
  pending?: PendingEvents;
};

/**
 * Result of a request: for each event whether it was stored (false for a repeated event ID), or the
 * failure of the request. A failed request may have stored some of its events with IDs but none
 * without, so events with IDs are safe to send again.
 */
export type StoreOutcome = boolean[] | DomainError;

/** Stores the events of several requests; one with invalid content fails alone. */
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
  /** A single call stores each request entirely or not at all. */
  const isOneCall = repetitions.length === 0 && rows.every((row) => bucketOfRow(row) === home);
  const first = isOneCall ? rows : rows.filter((row) => !isLast(row));
  await Promise.all(
    Array.from(Map.groupBy(first, bucketOfRow), ([bucket, group]) => store.run(bucket, group)),
  );
  for (const { request, of } of repetitions) {
    if (store.failures.has(of) && !store.failures.has(request)) store.failures.set(request, tryAgain());
  }
  /** Stores events without IDs last, when nothing else can fail: a retry would duplicate them. */
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
  /** Ordinals of the events that are already stored. If there are any, nothing was stored. */
  repeated: number[];
  /** Null if nothing was stored. */
  firstNumber: number | null;
  receivedAtMs: number | null;
};

async function tryStore(
  db: Database,
  bucket: number,
  lane: number,
  rows: NumberedEvent[],
): Promise<StoreAnswer> {
  const values = [bucket, lane, ...encodeGroup(rows)];
  for (let attempt = 1; ; attempt++) {
    try {
      return (await query<StoreAnswer>(db, 'store-events', storeText, values))[0];
    } catch (error) {
      if (attempt === mostAttempts || !wasStoredMeanwhile(error)) throw error;
    }
  }
}

function wasStoredMeanwhile(error: unknown): boolean {
  return ((error as DomainError).cause as { code?: string } | undefined)?.code === storedMeanwhile;
}

/** Stores events without IDs in the caller's transaction. Pending events take the group after its commit. */
export async function storeWithin(
  transaction: Transaction<Schema>,
  { bucket, lane }: { bucket: number; lane: number },
  events: readonly EventRow[],
): Promise<StoredGroup> {
  const rows = events.map((event, ordinal) => ({ ordinal, request: 0, event: withStorableIds(event) }));
  const statement = CompiledQuery.raw(storeText, [bucket, lane, ...encodeGroup(rows)]);
  const [{ firstNumber, receivedAtMs }] = (await transaction.executeQuery<StoreAnswer>(statement)).rows;
  const stored = { firstNumber: firstNumber!, receivedAtMs: receivedAtMs! };
  return { bucket, lane, ...stored, events: rows.map(({ event }) => event) };
}

const idTables = ['event_claims', 'event_ids'] as const;

/** Deletes expired event IDs, except those claimed again meanwhile, and returns their number. */
export async function deleteExpiredEventIds(db: Database, limit: number): Promise<number> {
  let count = 0;
  for (const bucket of await listBuckets(db)) {
    for (const table of idTables) {
      const isExpired = `bucket = $1 and received_at < now() - make_interval(days => ${eventIdDays})`;
      const text = `
        delete from ${table} where ${isExpired}
          and ctid = any(array(select ctid from ${table} where ${isExpired} limit $2))`;
      count += await execute(db, `delete-expired-${table}`, text, [bucket, limit]);
    }
  }
  return count;
}

/** An event with its ordinal across all requests. */
type NumberedEvent = { ordinal: number; request: number; event: EventRow };

/** A request that repeats an event of the earlier request `of` in the same group. */
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

/** Converts IDs to their stored form, so equal ones match, and removes the anonymous device. */
export function withStorableIds(event: EventRow): EventRow {
  const deviceId = event.deviceId === anonymousDevice ? undefined : storableId(event.deviceId);
  const [userId, eventId] = [storableId(event.userId), storableId(event.eventId)];
  const isStorable = deviceId === event.deviceId && userId === event.userId && eventId === event.eventId;
  return isStorable ? event : { ...event, deviceId, userId, eventId };
}

function storableId(id: string | undefined): string | undefined {
  return id === undefined ? undefined : storable(id);
}

function encodeGroup(rows: NumberedEvent[]): (string | (string | null)[] | null)[] {
  const events: unknown[] = [];
  const claims: unknown[] = [];
  for (const { ordinal, event } of rows) {
    pushValues(events, event);
    const { environment, eventId, eventType, isPublic = false } = event;
    if (eventId !== undefined) claims.push(ordinal, environment, eventId, eventType, isPublic);
  }
  const groups = rows.map(({ event }) => storableId(event.itemGroup) ?? null);
  const arePublic = rows.map(({ event }) => event.isPublic ?? false);
  return [
    encodeList(events),
    claims.length > 0 ? encodeList(claims) : null,
    arePublic.includes(true) ? `{${arePublic.join(',')}}` : null,
    groups.some((group) => group !== null) ? groups : null,
  ];
}

/** Encodes JSON that Postgres can store and encode-values.ts can write. */
function encodeDetails(details: unknown): string {
  const text = JSON.stringify(details);
  const whole = text.includes('\\u') ? text.replaceAll(unstorable, '$1\\ufffd') : text;
  return nonCharacters.test(whole) ? whole.replaceAll(allNonCharacters, escapeCharacter) : whole;
}

/** Matches NUL and lone surrogates as escaped by JSON.stringify; `$1` is escaped backslashes. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

const nonCharacters = /[\ufdd0\ufdd1]/;
const allNonCharacters = /[\ufdd0\ufdd1]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}

/** Appends the values in the column order of sql/store-events.sql. */
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
