/** Audiences for the other modules; a worker thread does the work. */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { createWorkerPool } from '../../ranking/runtime/workers.ts';
import { listAudienceEnvironments } from '../../repository/audiences/audiences.ts';
import type { Connection, Database } from '../../repository/database.ts';
import type { AudienceEngine } from './engine.ts';
import type { AudienceResult, AudienceTask, AudienceUpdate, AudienceWorkerSettings } from './worker.ts';

/** The worker starts with the first request, or after this delay if there are audiences. */
const startDelayMs = 30_000;
/** Between two reads of the environments that have audiences; any node may have created one. */
const environmentsPauseMs = 60_000;

const answerTimeoutMs = 25_000;

/** Waiting requests, and those under way, which also wait for the database. */
const mostWaiting = 100;
const concurrency = 16;

export type Audiences = Pick<AudienceEngine, 'create' | 'choose' | 'explain'> & {
  start(): void;
  stop(): Promise<void>;
  /** Begins to follow the events of environments with new audiences or interests. */
  refresh(): Promise<void>;
  /** Takes newly published models. */
  serveWith(environment: string, buffer: SharedArrayBuffer): void;
};

type AudiencesOptions = {
  db: Database;
  connection: Connection | string;
  environments: readonly Pick<
    EnvironmentSettings,
    'name' | 'integrationTypes' | 'eventWeights' | 'placeholderIds' | 'ratingScale' | 'retention'
  >[];
  logger: Logger;
};

export function createAudiences(options: AudiencesOptions): Audiences {
  const { db, environments, logger } = options;
  const buffers = new Map<string, SharedArrayBuffer>();
  let followed: readonly string[] = [];
  let waitingCount = 0;
  let isStarted = false;
  let isStopping = false;

  const pool = createWorkerPool<AudienceTask, AudienceResult, AudienceUpdate, undefined>({
    name: 'audiences',
    count: 1,
    concurrency,
    createWorker: () => createAudienceWorker(options),
    onStart(send) {
      send({ kind: 'follow', environments: followed });
      for (const [environment, buffer] of buffers) send({ kind: 'models', environment, buffer });
      return undefined;
    },
    logger,
  });
  const start = (): void => {
    if (isStopping) throw new DomainError('UNAVAILABLE', 'The service is stopping.');
    isStarted = true;
    pool.start();
  };
  const run = async <Result>(task: AudienceTask): Promise<Result> => {
    if (waitingCount >= mostWaiting)
      throw new DomainError('UNAVAILABLE', 'Too many audiences are being computed; try again.');
    start();
    waitingCount += 1;
    try {
      return (await inTime((signal) => pool.run({ taskFor: () => task, signal }))) as Result;
    } catch (error) {
      throw failureOf(error, logger);
    } finally {
      waitingCount -= 1;
    }
  };

  const following = createPeriodic({
    async work() {
      const used = await listAudienceEnvironments(db);
      followed = environments.map(({ name }) => name).filter((name) => used.includes(name));
      if (isStopping) return;
      if (isStarted) pool.broadcast({ kind: 'follow', environments: followed });
      else if (followed.length > 0) start();
    },
    firstPauseMs: startDelayMs,
    pauseMs: environmentsPauseMs,
    complaint: 'The environments with audiences cannot be read; trying again.',
    logger,
  });

  return {
    start: following.start,
    refresh: following.run,
    async stop() {
      isStopping = true;
      await following.stop();
      await pool.stop();
    },
    serveWith(environment, buffer) {
      buffers.set(environment, buffer);
      pool.broadcast({ kind: 'models', environment, buffer });
    },
    create: (request) => run({ kind: 'create', request }),
    choose: (request) => run({ kind: 'choose', request }),
    explain: (targeting, subject) => run({ kind: 'explain', targeting, subject }),
  };
}

/** Gives work up that takes longer than an answer may. */
async function inTime<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const deadline = new AbortController();
  const stillReading = () =>
    new DomainError('UNAVAILABLE', 'The events are still being read for audiences; try again later.');
  const timer = setTimeout(() => deadline.abort(stillReading()), answerTimeoutMs);
  return work(deadline.signal).finally(() => clearTimeout(timer));
}

/** Logs an internal failure, of which the caller learns no details. */
function failureOf(error: unknown, logger: Logger): DomainError {
  if (error instanceof DomainError && error.reason !== 'INTERNAL') return error;
  logger.error({ err: error }, 'An audience could not be computed.');
  return new DomainError('INTERNAL', 'The audience could not be computed.');
}

/** The settings are plain data, which a worker can be given. */
function createAudienceWorker({ connection, environments }: AudiencesOptions): Worker {
  const workerData: AudienceWorkerSettings = {
    connection,
    environments: environments.map(({ name, retention, ...settings }) => ({
      ...{ environment: name, eventsDays: retention.eventsDays },
      integrationTypes: settings.integrationTypes,
      eventWeights: settings.eventWeights,
      placeholderIds: settings.placeholderIds,
      ratingScale: settings.ratingScale,
    })),
  };
  return new Worker(new URL('./worker.ts', import.meta.url), { workerData });
}
