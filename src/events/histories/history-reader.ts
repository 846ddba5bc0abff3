/**
 * Reads histories for requests, many at once, and no longer than a request can wait.
 *
 * What was read is kept. The database is only asked whether it is still right, and not even that while this node knows that
 * nobody has changed it; nor is it asked for somebody of whom it surely knows nothing. An event counts in the next request after
 * its answer; one that another node stored, when it is aggregated (events/aggregation.ts) or soon after (events/progress-follower.ts).
 *
 * Nobody is answered before the end of the turn, so that what requests of one turn need is done step by step for all of them: it
 * costs a tenth less than one request after the other, as code and callers are not woken for each.
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
import { createBatcher, type QueueLengths, statementPaceMs } from '../../repository/batcher.ts';
import type { Database } from '../../repository/database.ts';
import { anonymousDevice } from '../../repository/event-row.ts';
import { findChangedHistories, type HistoryLookup } from '../../repository/events/histories.ts';
import type { PendingEvents } from '../../repository/events/pending-events.ts';

export const noHistory: History = { entries: [], impressions: [], consumed: [], version: '' };

const mostLookupsPerStatement = 200;
const mostWaiting = 20_000;

/** Of all histories together: some 200,000 entries. */
const mostBytesKept = 48 * 1024 * 1024;

/** Whatever this node knows, the database is asked again then: old entries go without an event. */
const longestUnaskedMs = 60_000;

/** Of the time until the deadline, what is left for making and keeping the lists when the history is late. */
const reserveShare = 0.3;

export type Reader = {
  environment: string;
  deviceId?: string;
  userId?: string;
  deadlineMs: number;
  /** The history is not remembered. */
  doNotStore?: boolean;
  /** Told why there is none. */
  onLack?(lack: HistoryLack): void;
};

/** Undefined when the history did not come in time. A history is shared by all who read it. */
export type HistoryReader = (reader: Reader, withImpressions: boolean) => Promise<History | undefined>;

export type HistoryReaderOptions = {
  db: Database;
  /** What this node has stored last. */
  pending?: PendingEvents;
  /** Whether other nodes have changed no history since a moment of `performance.now()` [not known]. */
  unchangedByOthersSince?: (readMs: number) => boolean;
  /** Whether there surely is no history of somebody [not known]. */
  lacksHistory?: (environment: string, who: Pick<Reader, 'deviceId' | 'userId'>) => boolean;
  logger: Logger;
  queues?: QueueLengths;
  forgetting?: Forgetting;
};

/** A history, whose it is, and when it was asked for last, by `performance.now()`. */
type Kept = { who: Pick<Reader, 'environment' | 'deviceId' | 'userId'>; history: History; askedMs: number };

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
    bytesOf: ({ who: { deviceId, userId }, history }) =>
      historyBytes(history) + textBytes(deviceId) + textBytes(userId),
  });
  /** What was asked for before anybody was last forgotten may hold them. */
  let forgotMs = Number.NEGATIVE_INFINITY;
  forgetting?.add((isGone) => {
    forgotMs = performance.now();
    kept.deleteWhere(({ who, history: { linkedUser } }) => {
      const linked = { userId: linkedUser };
      return isGoneFor(isGone, who.environment, who) || isGoneFor(isGone, who.environment, linked);
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
    /** They are not kept: most are never seen again, and would push out who is. */
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
    const who = { environment, deviceId, userId };
    if (!doNotStore) kept.set(key, { who, history: changed, askedMs });
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

/** Whether a history is still what the database would answer, as far as that is known here. */
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
