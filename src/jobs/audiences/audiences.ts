/**
 * Audiences for the rest of the service: hands the work to a thread of its own, so that ranking a million people holds up no
 * request, and a million ids take no memory where lists are made.
 */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { DomainError } from '../../errors.ts';
import type { EventWeights } from '../../ranking/models/event-weights.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { listAudienceEnvironments } from '../../repository/audiences/audiences.ts';
import type { Connection, Database } from '../../repository/database.ts';
import type { AudiencePage, AudienceRequest, NamedTargeting, PersonExplanation } from './audience-request.ts';
import type { Person } from './people.ts';
import type { WorkerFailure, WorkerMessage, WorkerReply, WorkerSettings, WorkerTask } from './worker.ts';

/** The thread starts with the first request, or when the database has audiences: not while the service itself starts. */
const startDelayMs = 30_000;
/** How often it is looked which environments have audiences, whichever node made them. */
const lookPauseMs = 60_000;

/** Beyond it a caller hears that the events are still being read. */
const answerTimeoutMs = 25_000;

const stillReading = 'The events are still being read for audiences; try again later.';

/** Requests that may wait for the thread. */
const mostWaiting = 100;

export type Audiences = {
  start(): void;
  stop(): Promise<void>;
  /** Models as they are published. */
  serveWith(environment: string, buffer: SharedArrayBuffer): void;
  /** Computes and stores; the page holds the first users. */
  create(request: AudienceRequest): Promise<AudiencePage>;
  explain(targeting: NamedTargeting, person: Person): Promise<PersonExplanation>;
};

export type AudiencesOptions = {
  db: Database;
  connection: Connection | string;
  environments: readonly {
    name: string;
    integrationTypes: ReadonlySet<string>;
    eventWeights: EventWeights;
    retention: { eventsDays: number | undefined };
  }[];
  logger: Logger;
};

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

export function createAudiences({ db, connection, environments, logger }: AudiencesOptions): Audiences {
  const waiting = new Map<number, Waiting>();
  const buffers = new Map<string, SharedArrayBuffer>();
  let worker: Worker | undefined;
  let lastId = 0;
  let isStopping = false;

  const post = (task: WorkerTask): number => {
    worker ??= begin();
    worker.postMessage({ id: ++lastId, task } satisfies WorkerMessage);
    return lastId;
  };
  const receive = (reply: WorkerReply): void => {
    const caller = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) caller?.reject(failureOf(reply.error, logger));
    else caller?.resolve(reply.result);
  };
  const end = (failure?: Error): void => {
    worker = undefined;
    if (failure)
      logger.error({ err: failure }, 'The audience thread failed; the next request starts it again.');
    for (const { reject } of waiting.values())
      reject(new DomainError('UNAVAILABLE', 'Audiences have to start anew; try again.'));
    waiting.clear();
  };
  const begin = (): Worker => {
    if (isStopping) throw new DomainError('UNAVAILABLE', 'The service is stopping.');
    const workerData = settingsOf(connection, environments);
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
    started.on('message', receive);
    started.on('error', end);
    started.on('exit', () => {
      if (worker === started) end();
    });
    started.unref();
    for (const [environment, buffer] of buffers) {
      started.postMessage({ id: 0, task: { kind: 'serveWith', environment, buffer } });
    }
    return started;
  };
  const ask = <Result>(task: WorkerTask): Promise<Result> => {
    if (waiting.size >= mostWaiting) {
      throw new DomainError('UNAVAILABLE', 'Too many audiences are being computed; try again.');
    }
    return new Promise<Result>((resolve, reject) => {
      const id = post(task);
      const timeout = setTimeout(() => {
        waiting.delete(id);
        reject(new DomainError('UNAVAILABLE', stillReading));
      }, answerTimeoutMs);
      const settle =
        <Value>(finish: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timeout);
          finish(value);
        };
      waiting.set(id, { resolve: settle(resolve) as Waiting['resolve'], reject: settle(reject) });
    });
  };

  const looking = createPeriodic({
    async work() {
      const used = await listAudienceEnvironments(db);
      const followed = environments.map(({ name }) => name).filter((name) => used.includes(name));
      if (!isStopping && (worker || followed.length > 0)) post({ kind: 'follow', environments: followed });
    },
    firstPauseMs: startDelayMs,
    pauseMs: lookPauseMs,
    complaint: 'Whether there are audiences cannot be read; trying again.',
    logger,
  });

  return {
    start: looking.start,
    async stop() {
      isStopping = true;
      await looking.stop();
      await worker?.terminate();
    },
    serveWith(environment, buffer) {
      buffers.set(environment, buffer);
      if (worker) post({ kind: 'serveWith', environment, buffer });
    },
    create: async (request) => ask<AudiencePage>({ kind: 'create', request }),
    explain: async (targeting, person) => ask<PersonExplanation>({ kind: 'explain', targeting, person }),
  };
}

/** What went wrong in the thread is logged; the caller need not know. */
function failureOf({ reason, message }: WorkerFailure, logger: Logger): DomainError {
  if (reason !== 'INTERNAL') return new DomainError(reason, message);
  logger.error({ reason: message }, 'An audience could not be computed.');
  return new DomainError('INTERNAL', 'The audience could not be computed.');
}

/** As a thread can be given them. */
function settingsOf(
  connection: AudiencesOptions['connection'],
  environments: AudiencesOptions['environments'],
): WorkerSettings {
  return {
    connection,
    environments: environments.map(({ name, integrationTypes, eventWeights, retention }) => ({
      name,
      eventWeights,
      eventsDays: retention.eventsDays,
      integrationTypes: [...integrationTypes],
    })),
  };
}
