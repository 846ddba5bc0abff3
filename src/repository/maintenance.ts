/** Deletes expired data every hour. */

import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../ranking/runtime/periodic.ts';
import { deleteExpiredAudiences } from './audiences/audiences.ts';
import { deleteExpiredDrafts } from './configurations/drafts.ts';
import type { Database } from './database.ts';
import { deleteExpiredEventIds } from './events/events.ts';
import { createPace } from './retention/pace.ts';
import { forget, giveTurnBack, type Retention, takeTurn } from './retention/retention.ts';

const pauseMs = 3_600_000;
/** Keeps the start free for other work. */
const firstPauseMs = 60_000;
const idsPerStatement = 10_000;
const audiencesPerStatement = 10;

type MaintenanceOptions = {
  db: Database;
  retentions: readonly Retention[];
  clock: () => number;
  logger: Pick<Logger, 'info' | 'warn'>;
};

/** Several nodes may run it at once. */
export function createMaintenance({
  db,
  retentions,
  clock,
  logger,
}: MaintenanceOptions): Pick<Periodic, 'start' | 'stop'> {
  const deleteExpired = async () => {
    while ((await deleteExpiredEventIds(db, idsPerStatement)) >= idsPerStatement);
    while ((await deleteExpiredAudiences(db, audiencesPerStatement)) === audiencesPerStatement);
    await deleteExpiredDrafts(db);
  };
  const forgetAll = async (signal: AbortSignal) => {
    if (retentions.length === 0 || !(await takeTurn(db))) return;
    const pace = createPace(signal);
    try {
      for (const retention of retentions) {
        const forgotten = await forget(db, retention, clock(), pace);
        if (Object.values(forgotten).some((count) => count > 0))
          logger.info(
            { environment: retention.environment, ...forgotten },
            'Deleted data past its retention time.',
          );
      }
    } catch (error) {
      await giveTurnBack(db);
      throw error;
    }
  };
  return createPeriodic({
    async work(signal) {
      await deleteExpired();
      await forgetAll(signal);
    },
    ...{ pauseMs, firstPauseMs },
    complaint: 'Database maintenance failed; trying again later.',
    logger,
  });
}
