/**
 * The queue that tells nodes which training to begin: pg-boss, in a schema of its own beside our tables.
 *
 * A job is no more than the id of a training; what it is and what came of it stands in the record of trainings, which
 * also keeps two nodes from running the same. The queue brings what a record lacks: one taker for each job, retries that wait
 * longer each time, an end to jobs that nobody completes, and retention.
 */

import { setTimeout as delay } from 'node:timers/promises';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import { locks } from '../locks.ts';

const queueName = 'trainings';

/** What a taker did with a job: `done`, also when there was nothing to do; `busy`: it shall come again. */
export type JobResult = 'done' | 'busy';

export type JobQueue = {
  /** @throws when the schema can neither be found nor made, e.g. without the right to create one. */
  start(): Promise<void>;
  /** Does nothing while a job of this training waits. */
  send(trainingId: string, afterSeconds?: number): Promise<void>;
  /** Takes one job at a time; one whose taker throws comes again. */
  take(taker: Taker): void;
  /** Waits for the taker, who must have been told. */
  stop(): Promise<void>;
};

type Taker = (trainingId: string) => Promise<JobResult>;

/** An idle node asks so often; one that sends a job itself is told at once. */
const pollingMs = 2_000;
const busySeconds = 5;
/** Of what is kept with a failed job, in characters. */
const longestMessage = 500;

const limits = {
  /** Longer than any training; the record notices silent nodes much sooner. */
  expireInHours: 12,
  retryLimit: 5,
  retryDelay: 5,
  retryBackoff: true,
  /** Of a job that nobody takes. */
  retentionDays: 2,
};

/** Seconds that ended jobs stay, and then stay in the archive. */
const retention = {
  archiveCompletedAfterSeconds: 3_600,
  archiveFailedAfterSeconds: 86_400,
  deleteAfterDays: 2,
};

const maintenanceIntervalSeconds = 300;

export function createJobQueue({ db, logger }: { db: Database; logger: Logger }): JobQueue {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => db.pool.query(text, values?.length ? values : undefined) },
    schedule: false,
    maintenanceIntervalSeconds,
    ...retention,
  });
  boss.on('error', (error) => logger.warn({ err: error }, 'The job queue has failed; it goes on.'));
  const stopping = new AbortController();
  let waking = new AbortController();
  let taking: Promise<void> = Promise.resolve();

  const send: JobQueue['send'] = async (trainingId, afterSeconds = 0) => {
    await boss.send(queueName, { trainingId }, { startAfter: afterSeconds, singletonKey: trainingId });
    if (afterSeconds === 0) waking.abort();
  };
  const takeNext = async (taker: Taker): Promise<boolean> => {
    const [job] = await boss.fetch<{ trainingId: string }>(queueName);
    if (job === undefined) return false;
    try {
      if ((await taker(job.data.trainingId)) === 'busy') await send(job.data.trainingId, busySeconds);
      await boss.complete(queueName, job.id);
    } catch (error) {
      await boss.fail(queueName, job.id, { message: String(error).slice(0, longestMessage) });
    }
    return true;
  };
  /** The queue's own worker does not wait for its last word about a job, and a lost connection would then end the process. */
  const takeForever = async (taker: Taker): Promise<void> => {
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      const hasTaken = await takeNext(taker).catch((error) => {
        logger.warn({ err: error }, 'The job queue cannot be asked; trying again.');
        return false;
      });
      const signal = AbortSignal.any([stopping.signal, waking.signal]);
      if (!hasTaken) await delay(pollingMs, undefined, { signal }).catch(() => undefined);
    }
  };

  return {
    async start() {
      await alone(db, async () => {
        await boss.start();
        await boss.createQueue(queueName, { name: queueName, policy: 'short', ...limits });
      });
    },
    send,
    take(taker) {
      taking = takeForever(taker);
    },
    async stop() {
      stopping.abort();
      await taking;
      await boss.stop({ graceful: false });
    },
  };
}

/** Nodes that make the schema at the same moment would wait for each other's tables. */
async function alone(db: Database, work: () => Promise<void>): Promise<void> {
  const client = await db.pool.connect();
  try {
    /** A node that stops here lets go after this time. */
    await client.query(
      `set lock_timeout = 0; set idle_session_timeout = '30s'; set idle_in_transaction_session_timeout = '30s'`,
    );
    await client.query('select pg_advisory_lock($1)', [locks.jobQueue]);
    await work();
  } finally {
    /** Closed, which frees the lock however the work ended. */
    client.release(true);
  }
}
