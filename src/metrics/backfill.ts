/** Runs the backfill after the start, until every event that was stored before there were metrics is counted. */

import type { Logger } from 'pino';
import type { Database } from '../repository/database.ts';
import { countStoredEvents } from '../repository/metrics/metric-backfill.ts';
import type { AttributionWindow } from '../repository/metrics/metric-batch.ts';

/** Between steps, so that new events go first. */
const pauseMs = 20;
const retryMs = 60_000;

export type Backfill = { start(): void; stop(): Promise<void> };

export type BackfillOptions = {
  db: Database;
  attributionWindow: AttributionWindow;
  logger: Pick<Logger, 'warn'>;
};

export function createBackfill({ db, attributionWindow, logger }: BackfillOptions): Backfill {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const step = async () => {
    let waitMs = pauseMs;
    try {
      if (!(await countStoredEvents(db, attributionWindow))) return;
    } catch (error) {
      logger.warn({ err: error }, 'Earlier events could not be counted yet; trying again in a minute.');
      waitMs = retryMs;
    }
    if (isStopped) return;
    timer = setTimeout(start, waitMs);
    timer.unref();
  };
  const start = () => {
    running = step();
  };
  return {
    start,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
