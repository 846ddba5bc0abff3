/** The queue for a database that has no room for one: the node takes what is ready straight from the record of trainings. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../repository/database.ts';
import type { JobQueue } from '../repository/training/jobs.ts';
import { listReadyTrainings } from '../repository/training/trainings.ts';

const pollingMs = 2_000;

export type DirectQueueOptions = { db: Database; environments: readonly string[]; logger: Logger };

export function createDirectQueue({ db, environments, logger }: DirectQueueOptions): JobQueue {
  const stopping = new AbortController();
  let waking = new AbortController();
  let taking: Promise<void> = Promise.resolve();
  const takeForever: (...taker: Parameters<JobQueue['take']>) => Promise<void> = async (taker) => {
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      try {
        const [next] = await listReadyTrainings(db, environments);
        if (next !== undefined && (await taker(next)) === 'done') continue;
      } catch (error) {
        if (!stopping.signal.aborted)
          logger.warn({ err: error }, 'A training could not be taken; trying again.');
      }
      const signal = AbortSignal.any([stopping.signal, waking.signal]);
      await delay(pollingMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    async start() {},
    async send() {
      waking.abort();
    },
    take(taker) {
      taking = takeForever(taker);
    },
    async stop() {
      stopping.abort();
      await taking;
    },
  };
}
