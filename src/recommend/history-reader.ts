/** Reads histories for requests, many at once, and no longer than a request can wait. */

import type { Logger } from 'pino';
import { createBatcher } from '../repository/batcher.ts';
import type { Database } from '../repository/database.ts';
import { findHistories, type History, type HistoryLookup } from '../repository/histories.ts';
import { within } from './within.ts';

/** Nothing is kept under this device id, so nothing is read either. */
const anonymousDevice = 'anonymous';

const noHistory: History = { entries: [], impressions: [] };

const mostLookupsPerStatement = 200;
const mostWaiting = 20_000;

/** Of the time until the deadline, what is left for making and keeping the lists when the history is late. */
const reserveShare = 0.3;

export type Reader = { environment: string; deviceId?: string; userId?: string; deadlineMs: number };

/** Undefined when the history did not come in time. */
export type HistoryReader = (reader: Reader, withImpressions: boolean) => Promise<History | undefined>;

export function createHistoryReader({ db, logger }: { db: Database; logger: Logger }): HistoryReader {
  const read = createBatcher<HistoryLookup, History>({
    maxBatch: mostLookupsPerStatement,
    maxQueued: mostWaiting,
    concurrency: 2,
    run: (lookups) => findHistories(db, lookups),
  });
  return async ({ environment, deviceId: device, userId, deadlineMs }, withImpressions) => {
    const deviceId = device === anonymousDevice ? undefined : device;
    if (deviceId === undefined && userId === undefined) return noHistory;
    const waitMs = (deadlineMs - performance.now()) * (1 - reserveShare);
    return within(waitMs, read({ environment, deviceId, userId, withImpressions }), (failure) =>
      logger.warn({ environment, err: failure }, 'The history was not read in time; answering without it.'),
    );
  };
}
