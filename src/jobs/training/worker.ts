/** The training thread: trains one environment at a time, over its own connection. */

import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type TrainedModels, unpackModels } from '../../ranking/models/artefact.ts';
import { runRowsHere } from '../../ranking/models/row-stages.ts';
import { serveWorker } from '../../ranking/runtime/worker-protocol.ts';
import { type Connection, createDatabase, type Database } from '../../repository/database.ts';
import {
  findModelVersion,
  findServedVersion,
  publishModels,
  type TrainingClaim,
} from '../../repository/training/model-snapshots.ts';
import { createRangeThreads, type RangeThreads } from './parallel-rows.ts';
import { createProgress } from './progress.ts';
import { type TrainingOptions, type TrainingResult, trainEnvironment } from './train-environment.ts';

export type WorkerSettings = {
  connection: Connection | string;
  /** Threads that share a training, including this one. */
  threadCount: number;
};

export type TrainingRequest = TrainingOptions & {
  /** Publish the models as the next version; `demand`: even if the current one is held. */
  stores: false | 'unless_held' | 'demand';
  /** The recorded training; absent for one without a record. */
  claim?: TrainingClaim;
};

export type Trained = TrainingResult & {
  /** Version of the stored models. */
  version?: number;
};

export type StageProgress = { stage: string; progress: number };

const { connection, threadCount } = workerData as WorkerSettings;
const db = createDatabase(connection, { poolSize: 1 });

serveWorker<TrainingRequest, Trained, never, StageProgress>(({ ready, notify }) => {
  ready();
  return { perform: (request) => train(request, notify), update: () => undefined };
});

/** Threads that share learning; the quick training at start ends before they are needed. */
let helpers: RangeThreads | undefined;

/**
 * Lowers the priority of training once models are served, so that requests come first; only on
 * Linux, where it affects this thread alone. The training of a start keeps full priority.
 */
function giveWay(): RangeThreads {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);
  return createRangeThreads(threadCount - 1);
}

async function train(
  { stores, claim, ...options }: TrainingRequest,
  notify: (progress: StageProgress) => void,
): Promise<Trained> {
  if (options.learns) helpers ??= giveWay();
  const runRows = options.learns ? helpers!.runRows : runRowsHere;
  const progress = createProgress((stage, progress) => notify({ stage, progress }));
  const findServed = () => findServedModels(db, options.environment);
  const result = await trainEnvironment(db, options, { progress, runRows, findServed });
  if (stores === false || result.buffer === undefined) return result;
  progress.enter('publishing');
  const lifts = stores === 'demand';
  const version = await publishModels(db, options.environment, result.buffer, { lifts, claim });
  if (version !== undefined) return { ...result, version };
  const decision =
    'The models were rolled back, or another node trained, in the meantime; those in use are kept.';
  return { ...result, verdict: { ...result.verdict, isPublished: false, decision } };
}

/** Ignores unreadable models, which must not block new ones. */
async function findServedModels(database: Database, environment: string): Promise<TrainedModels | undefined> {
  const served = await findServedVersion(database, environment);
  const buffer = served && (await findModelVersion(database, environment, served.version));
  const unpacked = buffer && unpackModels(buffer);
  return unpacked?.ok ? unpacked.models : undefined;
}
