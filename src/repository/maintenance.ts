/** What the database needs from time to time: an end to what has expired. */

import type { Logger } from 'pino';
import { deleteExpiredAudiences } from './audiences/audiences.ts';
import type { Database } from './database.ts';
import { deleteExpiredEventIds } from './events/events.ts';
import { createPace } from './retention/pace.ts';
import { forget, giveTurnBack, type Retention, takeTurn } from './retention/retention.ts';

const pauseMs = 3_600_000;
/** A start is busy enough. */
const firstPauseMs = 60_000;
const idsPerStatement = 10_000;
const audiencesPerStatement = 10;

export type Maintenance = { start(): void; stop(): Promise<void> };

export type MaintenanceOptions = {
  db: Database;
  retentions: readonly Retention[];
  clock: () => number;
  logger: Pick<Logger, 'info' | 'warn'>;
};

/** Several nodes may run it at once. */
export function createMaintenance({ db, retentions, clock, logger }: MaintenanceOptions): Maintenance {
  const halt = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const deleteExpired = async () => {
    while ((await deleteExpiredEventIds(db, idsPerStatement)) >= idsPerStatement);
    while ((await deleteExpiredAudiences(db, audiencesPerStatement)) === audiencesPerStatement);
  };
  const forgetAll = async () => {
    if (retentions.length === 0 || !(await takeTurn(db))) return;
    const pace = createPace(halt.signal);
    try {
      for (const retention of retentions) {
        const forgotten = await forget(db, retention, clock(), pace);
        if (Object.values(forgotten).some((count) => count > 0))
          logger.info({ environment: retention.environment, ...forgotten }, 'Forgot what is past its time.');
      }
    } catch (error) {
      await giveTurnBack(db);
      if (!halt.signal.aborted) throw error;
    }
  };
  const run = async () => {
    try {
      await deleteExpired();
      await forgetAll();
    } catch (error) {
      logger.warn({ err: error }, 'Database maintenance failed; trying again later.');
    }
  };
  const after = (ms: number) => {
    timer = setTimeout(() => {
      running = run().finally(() => {
        if (!halt.signal.aborted) after(pauseMs);
      });
    }, ms);
    timer.unref();
  };
  return {
    start: () => after(firstPauseMs),
    async stop() {
      halt.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
