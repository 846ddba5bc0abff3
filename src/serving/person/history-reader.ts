/**
 * Reads histories for requests, many at once, and no longer than a request can wait.
 *
 * What was read is kept, and the database only asked whether it is still right. An event counts in the next request after its answer;
 * one that another node stored, when it is folded (events/folding.ts).
 */

import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createBatcher, type QueueLengths } from '../../repository/batcher.ts';
import type { Database } from '../../repository/database.ts';
import { anonymousDevice } from '../../repository/event-row.ts';
import { findChangedHistories, type History, type HistoryLookup } from '../../repository/events/histories.ts';
import type { UnfoldedEvents } from '../../repository/events/unfolded-events.ts';
import { type Forgetting, isGoneFor } from '../../repository/forgetting.ts';
import { withinTime } from '../../within-time.ts';
import type { HistoryLack } from '../recommendation-request.ts';
import { createSparingWarning } from '../sparing-warning.ts';

export const noHistory: History = { entries: [], impressions: [], version: '' };

const mostLookupsPerStatement = 200;
const mostWaiting = 20_000;

/** Of all histories together: at some 200 bytes an entry or two hundred characters of ids, 40 MB. */
const mostEntriesKept = 200_000;

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
  unfolded?: UnfoldedEvents;
  logger: Logger;
  queues?: QueueLengths;
  forgetting?: Forgetting;
};

export function createHistoryReader(options: HistoryReaderOptions): HistoryReader {
  const { db, unfolded, logger, queues, forgetting } = options;
  const read = createBatcher<HistoryLookup, History | undefined>({
    maxBatch: mostLookupsPerStatement,
    maxQueued: mostWaiting,
    concurrency: 2,
    queue: { name: 'histories', lengths: queues },
    run: (lookups) => findChangedHistories(db, lookups, unfolded),
  });
  const warn = createSparingWarning(logger, 'The history was not read in time; answering without it.');
  const kept = new LRUCache<string, History>({
    maxSize: mostEntriesKept,
    sizeCalculation: ({ entries, impressions }, key) =>
      1 + entries.length + impressions.length + Math.floor(key.length / 200),
  });
  forgetting?.add((isGone) => {
    for (const key of kept.keys()) if (isGoneFor(isGone, ...readKey(key))) kept.delete(key);
  });
  const readThrough = async (lookup: HistoryLookup, doNotStore?: boolean): Promise<History> => {
    const key = keyOf(lookup);
    const known = kept.get(key);
    const { version: knownVersion, linkedUser: knownUser } = known ?? {};
    const changed = await read({ ...lookup, knownVersion, knownUser });
    if (changed && !doNotStore) kept.set(key, changed);
    return (changed ?? known)!;
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

function readKey(key: string): [environment: string, who: Pick<Reader, 'deviceId' | 'userId'>] {
  const [environment, deviceId, userId] = JSON.parse(key);
  return [environment, { deviceId, userId }];
}

function keyOf({ environment, deviceId, userId, withImpressions }: HistoryLookup): string {
  return JSON.stringify([environment, deviceId, userId, withImpressions]);
}
