/** Audiences for the other modules; a worker thread does the work. */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { DomainError } from '../../errors.ts';
import type { RatingScale } from '../../events/meaning.ts';
import type { EventWeights } from '../../ranking/models/event-weights.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { createWorkerPool } from '../../ranking/runtime/workers.ts';
import { listAudienceEnvironments } from '../../repository/audiences/audiences.ts';
import type { Connection, Database } from '../../repository/database.ts';
import type {
  AudiencePage,
  AudienceRequest,
  ChosenUsers,
  NamedTargeting,
  SubjectExplanation,
  UsersRequest,
} from './audience-request.ts';
import type { Subject } from './subjects.ts';
import type { AudienceResult, AudienceTask, AudienceUpdate, AudienceWorkerSettings } from './worker.ts';

/** The worker starts with the first request, or after this delay if there are audiences. */
const startDelayMs = 30_000;
/** Between two reads of the environments that have audiences; any node may have created one. */
const environmentsPauseMs = 60_000;

const answerTimeoutMs = 25_000;

/** Waiting requests, and those under way, which also wait for the database. */
const mostWaiting = 100;
const concurrency = 16;

export type Audiences = {
  start(): void;
  stop(): Promise<void>;
  /** Begins to follow the events of environments with new audiences or interests. */
  refresh(): Promise<void>;
  /** Takes newly published models. */
  serveWith(environment: string, buffer: SharedArrayBuffer): void;
  /** Computes and stores an audience; the page holds its first members. */
  create(request: AudienceRequest): Promise<AudiencePage>;
  /** Computes users for an item, without storing them. */
  choose(request: UsersRequest): Promise<ChosenUsers>;
  explain(targeting: NamedTargeting, subject: Subject): Promise<SubjectExplanation>;
};

type AudiencesOptions = {
  db: Database;
  connection: Connection | string;
  environments: readonly {
    name: string;
    integrationTypes: ReadonlySet<string>;
    eventWeights: EventWeights;
    ratingScale: RatingScale;
    retention: { eventsDays: number | undefined };
  }[];
  logger: Logger;
};

export function createAudiences({ db, connection, environments, logger }: AudiencesOptions): Audiences {
  const buffers = new Map<string, SharedArrayBuffer>();
  let followed: readonly string[] = [];
  let waitingCount = 0;
  let isStarted = false;
  let isStopping = false;

  const pool = createWorkerPool<AudienceTask, AudienceResult, AudienceUpdate, undefined>({
    name: 'audiences',
    count: 1,
    concurrency,
    createWorker: () => createAudienceWorker(connection, environments),
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
    create: (request) => run<AudiencePage>({ kind: 'create', request }),
    choose: (request) => run<ChosenUsers>({ kind: 'choose', request }),
    explain: (targeting, subject) => run<SubjectExplanation>({ kind: 'explain', targeting, subject }),
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

function createAudienceWorker(
  connection: AudiencesOptions['connection'],
  environments: AudiencesOptions['environments'],
): Worker {
  /** Plain data, which a worker can be given. */
  const workerData: AudienceWorkerSettings = {
    connection,
    environments: environments.map(({ name, integrationTypes, eventWeights, ratingScale, retention }) => ({
      name,
      eventWeights,
      ratingScale,
      eventsDays: retention.eventsDays,
      integrationTypes: [...integrationTypes],
    })),
  };
  return new Worker(new URL('./worker.ts', import.meta.url), { workerData });
}
