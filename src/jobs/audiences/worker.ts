/** The audience worker: holds the indexes of all environments and answers requests. */

import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { serveWorker } from '../../ranking/runtime/worker-protocol.ts';
import { type Connection, createDatabase } from '../../repository/database.ts';
import type {
  AudiencePage,
  AudienceRequest,
  ChosenUsers,
  NamedTargeting,
  SubjectExplanation,
  UsersRequest,
} from './audience-request.ts';
import { type AudienceEngineOptions, createAudienceEngine } from './engine.ts';
import type { Subject } from './subjects.ts';

export type AudienceWorkerSettings = {
  connection: Connection | string;
  environments: readonly Omit<AudienceEngineOptions, 'db' | 'clock'>[];
};

export type AudienceUpdate =
  /** The environments that have audiences. */
  | { kind: 'follow'; environments: readonly string[] }
  | { kind: 'models'; environment: string; buffer: SharedArrayBuffer };

export type AudienceTask =
  | { kind: 'create'; request: AudienceRequest }
  | { kind: 'choose'; request: UsersRequest }
  | { kind: 'explain'; targeting: NamedTargeting; subject: Subject };

export type AudienceResult = AudiencePage | ChosenUsers | SubjectExplanation;

/** Short, so that few events are left to read when a request comes. */
const catchUpPauseMs = 1_000;

/** A third of the CPU weight of requests, twenty times that of training. */
const niceness = 5;

/** On Linux this concerns the calling thread alone. */
if (process.platform === 'linux') setPriority(0, niceness);

const { connection, environments } = workerData as AudienceWorkerSettings;
const db = createDatabase(connection, { poolSize: 3 });
const engines = new Map(
  environments.map((settings) => [
    settings.environment,
    createAudienceEngine({ ...settings, db, clock: () => Date.now() }),
  ]),
);

/** Only environments with audiences or requests are followed. */
let followed: readonly string[] = [];
const requested = new Set<string>();

serveWorker<AudienceTask, AudienceResult, AudienceUpdate>((voice) => {
  voice.ready();
  return {
    update(update) {
      if (update.kind === 'follow') followed = update.environments;
      else engines.get(update.environment)!.serveWith(update.buffer);
    },
    perform(task) {
      const { environment } = task.kind === 'explain' ? task.targeting : task.request;
      requested.add(environment);
      const engine = engines.get(environment)!;
      if (task.kind === 'create') return engine.create(task.request);
      if (task.kind === 'choose') return engine.choose(task.request);
      return engine.explain(task.targeting, task.subject);
    },
  };
});

/** Ignores failures, which the next request of the environment reports. */
createPeriodic({
  async work() {
    for (const [name, engine] of engines)
      if (requested.has(name) || followed.includes(name)) await engine.catchUp().catch(() => undefined);
  },
  pauseMs: catchUpPauseMs,
  firstPauseMs: 0,
  complaint: 'Events cannot be read for audiences; trying again.',
  logger: { warn: () => undefined },
}).start();
