/** What the database needs from time to time: an end to what has expired. */

import type { Logger } from 'pino';
import { deleteExpiredAudiences } from './audiences/audiences.ts';
import type { Database } from './database.ts';
import { deleteExpiredEventIds } from './events/events.ts';

const pauseMs = 3_600_000;
const idsPerStatement = 10_000;
const audiencesPerStatement = 10;

export type Maintenance = { start(): void; stop(): Promise<void> };

/** Several nodes may run it at once. */
export function createMaintenance({ db, logger }: { db: Database; logger: Logger }): Maintenance {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    try {
      while ((await deleteExpiredEventIds(db, idsPerStatement)) >= idsPerStatement);
      while ((await deleteExpiredAudiences(db, audiencesPerStatement)) === audiencesPerStatement);
    } catch (error) {
      logger.warn({ err: error }, 'Database maintenance failed; trying again later.');
    }
  };
  return {
    start() {
      timer = setInterval(() => {
        running = run();
      }, pauseMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
