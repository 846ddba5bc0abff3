/**
 * Reads histories for requests, in batches, within the time that a request can wait. Histories are
 * cached. The database only confirms that a cached history is current. That query is skipped while
 * this node knows that the history is unchanged, and for subjects that surely have none. An event
 * counts in the next request after its response. An event stored by another node counts once it is
 * aggregated (events/aggregation.ts) or soon after (events/progress-follower.ts).
 *
 * Responses wait for the end of the event-loop turn, so requests of one turn are processed
 * together, step by step. This costs a tenth less than one request after the other.
 */

import type { Logger } from 'pino';
import { DomainError } from '../../errors.ts';
import type { History } from '../../ranking/history.ts';
import { historyBytes } from '../../ranking/history.ts';
import type { HistoryLack } from '../../ranking/lists/recommendation-request.ts';
import { createCache, textBytes } from '../../ranking/runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../ranking/runtime/forgetting.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { withinTime } from '../../ranking/runtime/within-time.ts';
import { anonymousDevice } from '../../ranking/subject.ts';
import { createBatcher, type QueueLengths, statementPaceMs } from '../../repository/batcher.ts';
import type { Database } from '../../repository/database.ts';
import { findChangedHistories, type HistoryLookup } from '../../repository/events/histories.ts';
import type { PendingEvents } from '../../repository/events/pending-events.ts';

export const noHistory: History = { entries: [], impressions: [], consumed: [], version: '' };

const mostLookupsPerStatement = 200;
const mostWaiting = 20_000;

/** Size of all cached histories: some 200,000 entries. */
const mostBytesKept = 48 * 1024 * 1024;

/** Maximum age of a cached history without a query: old entries expire without an event. */
const longestUnaskedMs = 60_000;

/** Share of the time to the deadline reserved for computing lists when the history is late. */
const reserveShare = 0.3;

export type Reader = {
  environment: string;
  deviceId?: string;
  userId?: string;
  deadlineMs: number;
  /** Excludes the history from the cache. */
  doNotStore?: boolean;
  /** Receives the reason when the history is missing. */
  onLack?(lack: HistoryLack): void;
};

/** Resolves to undefined when the history is late. Readers share the returned history. */
export type HistoryReader = (reader: Reader, withImpressions: boolean) => Promise<History | undefined>;

export type HistoryReaderOptions = {
  db: Database;
  pending?: PendingEvents;
  /** Whether other nodes changed no history since a time of `performance.now()` [not known]. */
  unchangedByOthersSince?: (readMs: number) => boolean;
  /** Whether a subject surely has no history [not known]. */
  lacksHistory?: (environment: string, subject: Pick<Reader, 'deviceId' | 'userId'>) => boolean;
  logger: Logger;
  queues?: QueueLengths;
  forgetting?: Forgetting;
};

/** A history, its subject, and the time of its last query by `performance.now()`. */
type Kept = {
  subject: Pick<Reader, 'environment' | 'deviceId' | 'userId'>;
  history: History;
  askedMs: number;
};

export function createHistoryReader(options: HistoryReaderOptions): HistoryReader {
  const { db, pending, lacksHistory = () => false, logger, queues, forgetting } = options;
  const read = createBatcher<HistoryLookup, History | DomainError | undefined>({
    maxBatch: mostLookupsPerStatement,
    maxQueued: mostWaiting,
    concurrency: 2,
    paceMs: () => statementPaceMs,
    queue: { name: 'histories', lengths: queues },
    run: (lookups) => findChangedHistories(db, lookups, pending),
  });
  const warn = createSparingWarning(logger, 'The history was not read in time; answering without it.');
  const kept = createCache<Kept>({
    maxBytes: mostBytesKept,
    bytesOf: ({ subject: { deviceId, userId }, history }) =>
      historyBytes(history) + textBytes(deviceId) + textBytes(userId),
  });
  /** Results of queries sent before the last deletion of a subject may contain its data. */
  let forgotMs = Number.NEGATIVE_INFINITY;
  forgetting?.add((isGone) => {
    forgotMs = performance.now();
    kept.deleteWhere(({ subject, history: { linkedUser } }) => {
      const linked = { userId: linkedUser };
      return (
        isGoneFor(isGone, subject.environment, subject) || isGoneFor(isGone, subject.environment, linked)
      );
    });
  });
  const isCurrent = knowChanges(options);
  const readThrough = async (lookup: HistoryLookup, doNotStore?: boolean): Promise<History> => {
    const key = keyOf(lookup);
    const known = kept.get(key);
    if (known && known.askedMs > forgotMs && isCurrent(known, lookup)) {
      await nextTurn();
      return known.history;
    }
    /** Not cached: most of these subjects never return and would evict those that do. */
    if (!known && lacksHistory(lookup.environment, lookup)) {
      await nextTurn();
      return noHistory;
    }
    const askedMs = performance.now();
    const { version: knownVersion, linkedUser: knownUser } = known?.history ?? {};
    const changed = await read({ ...lookup, knownVersion, knownUser });
    if (changed instanceof DomainError) throw changed;
    if (!changed) {
      known!.askedMs = askedMs;
      return known!.history;
    }
    const { environment, deviceId, userId } = lookup;
    const subject = { environment, deviceId, userId };
    if (!doNotStore) kept.set(key, { subject, history: changed, askedMs });
    return changed;
  };
  return async (reader, withImpressions) => {
    const { environment, deviceId: device, userId, deadlineMs, doNotStore, onLack } = reader;
    const deviceId = device === anonymousDevice ? undefined : device;
    if (deviceId === undefined && userId === undefined) return noHistory;
    const waitMs = (deadlineMs - performance.now()) * (1 - reserveShare);
    const lookup = { environment, deviceId, userId, withImpressions };
    return withinTime(waitMs, readThrough(lookup, doNotStore), (failure) => {
      onLack?.(failure === undefined ? 'deadline' : 'database');
      warn({ environment, err: failure });
    });
  };
}

function knowChanges({ pending, unchangedByOthersSince = () => false }: HistoryReaderOptions) {
  return (
    { history, askedMs }: Kept,
    { environment, deviceId, userId = history.linkedUser }: HistoryLookup,
  ): boolean =>
    pending !== undefined &&
    performance.now() - askedMs < longestUnaskedMs &&
    unchangedByOthersSince(askedMs) &&
    (deviceId === undefined || pending.isSettled(environment, 'd', deviceId, askedMs)) &&
    (userId === undefined || pending.isSettled(environment, 'u', userId, askedMs));
}

function keyOf({ environment, deviceId, userId, withImpressions }: HistoryLookup): string {
  return JSON.stringify([environment, deviceId, userId, withImpressions]);
}
