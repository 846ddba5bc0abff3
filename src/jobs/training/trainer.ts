/**
 * Keeps the models of a deployment up to date. Every node requests due trainings and follows
 * published models. Nodes with training threads also claim pending trainings, each by one node.
 */

import type { Logger } from 'pino';
import type { TrainingSettings } from '../../deployment/deployment.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import type { Actor } from '../../repository/audit/audit-entries.ts';
import type { Connection, Database } from '../../repository/database.ts';
import {
  claimTraining,
  giveBackLostTrainings,
  insertDueTraining,
  insertTraining,
  type Training,
  type TrainingReason,
} from '../../repository/training/trainings.ts';
import { eventBudget } from './machine.ts';
import { createModelFollower, type ModelFollower, type Serve } from './model-follower.ts';
import { createQuickTrainings } from './quick-trainings.ts';
import { runTraining } from './run-training.ts';
import type { TrainedBy } from './train-environment.ts';
import { createTrainingThread } from './training-thread.ts';
import { findReason, usualSchedule } from './triggers.ts';

/** Maximum delay before published models are loaded. */
const followEveryMs = 1_000;
const lookEveryMs = 2_000;
/** Interval at which an idle node polls for pending trainings; its own requests start at once. */
const takeEveryMs = 2_000;
/** Interval at which trainings of lost nodes are detected. */
const sweepEveryMs = 20_000;

export type TrainerOptions = {
  db: Database;
  /** For the training thread, which opens its own connection. */
  connection: Connection | string;
  environments: readonly string[];
  /** Returns the environment's training settings; absent ones keep their default. */
  settingsOf?: (environment: string) => TrainedBy;
  /** Returns when to train an environment automatically; absent for the default schedule. */
  scheduleOf?: (environment: string) => TrainingSettings;
  /** Identifies this node and its current run. */
  node: string;
  /** Threads that share a training; with 0, this node runs none. */
  threadCount: number;
  /** Absent for a node that only trains. @throws if the models cannot be read. */
  serve?: Serve;
  /** Whether a first training is too long for a start to wait for; checked at that point. */
  isLarge?: (environment: string) => boolean;
  clock: () => number;
  logger: Logger;
};

export type Trainer = {
  /** Reads published models while the catalogue loads, for `start`; never rejects. */
  prefetch(): Promise<void>;
  /**
   * Loads the published models and quickly trains environments without any, large ones in the
   * background. Then learns the blend of these environments.
   */
  start(): Promise<void>;
  /** Returns the environment's pending training, new or existing. */
  request(environment: string, reason: TrainingReason, actor?: Actor): Promise<Training>;
  /** Loads newly published models now, without waiting for the next poll. */
  follow(): Promise<void>;
  /** Stops, even during a training; another node then takes it over. */
  stop(): Promise<void>;
};

export function createTrainer(options: TrainerOptions): Trainer {
  const { db, connection, environments, node, threadCount, serve, clock, logger } = options;
  const mostEvents = eventBudget();
  const stopping = new AbortController();
  const thread = createTrainingThread({ connection, threadCount: Math.max(1, threadCount) }, logger);
  const follower = createModelFollower({ db, environments, serve: serve ?? (async () => {}), logger });
  const { settingsOf } = options;
  const run = { db, node, thread, mostEvents, settingsOf, clock, logger, onPublished: follower.offer };
  const isStopping = () => stopping.signal.aborted;
  const quick = createQuickTrainings({ db, thread, mostEvents, settingsOf, clock, follower });
  const prepare = (training: Training) =>
    quick.trainIfNew(training).catch((error) => {
      const { environment } = training;
      if (!isStopping()) logger.error({ environment, err: error }, 'A quick training failed.');
    });
  const taker = createPeriodic({
    async work() {
      const training = await claimTraining(db, environments, node);
      if (training === undefined) return;
      await runTraining({ ...run, prepare, isStopping }, training);
      return 'again';
    },
    ...{ pauseMs: takeEveryMs, firstPauseMs: 0, logger },
    complaint: 'No training could be claimed; trying again.',
  });
  let background: Promise<unknown> = Promise.resolve();

  const request: Trainer['request'] = async (environment, reason, actor) => {
    const training = await insertTraining(db, environment, reason, actor);
    taker.wake();
    return training;
  };
  const trainFirst = (environment: string): Promise<void> =>
    quick.trainFirst(environment).catch((error) => {
      if (!stopping.signal.aborted)
        logger.error({ environment, err: error }, 'The first training failed; it will be tried again.');
    });
  /** Returns the first trainings for which a start does not wait. */
  const serveFirst = async (): Promise<Promise<void>[]> => {
    const late: Promise<void>[] = [];
    await follower.look().catch((error) => logger.error({ err: error }, 'No models could be read.'));
    for (const environment of environments) {
      if (follower.isServed(environment) || stopping.signal.aborted) continue;
      const first = trainFirst(environment);
      if (options.isLarge?.(environment)) late.push(first);
      else await first;
    }
    return late;
  };
  const sweep = () => giveBackLostTrainings(db);
  const repeat = (work: () => Promise<unknown>, pauseMs: number) =>
    createPeriodic({ work, pauseMs, complaint: 'Models cannot be updated; trying again.', logger });
  const trigger = () => askForDue(options, { follower, isStopping, onAsked: taker.wake });
  const loops = [repeat(trigger, lookEveryMs), repeat(sweep, sweepEveryMs)];
  if (serve) loops.push(repeat(follower.look, followEveryMs));

  return {
    async prefetch() {
      if (serve) await follower.prefetch();
    },
    async start() {
      const late = serve ? await serveFirst() : [];
      for (const loop of loops) loop.start();
      /** Requeues trainings of stopped nodes. */
      const swept = sweep().catch(() => undefined);
      background = Promise.all([swept, ...late]);
      await swept;
      if (threadCount > 0 && !stopping.signal.aborted) taker.start();
    },
    request,
    follow: follower.look,
    async stop() {
      stopping.abort();
      await thread.stop();
      await background;
      await Promise.all([...loops, taker].map((one) => one.stop()));
    },
  };
}

type Looking = {
  follower: Pick<ModelFollower, 'isRefused'>;
  isStopping: () => boolean;
  onAsked: () => void;
};

/** Requests every due training. */
async function askForDue(
  { db, environments, scheduleOf, clock }: TrainerOptions,
  { follower, isStopping, onAsked }: Looking,
): Promise<void> {
  for (const environment of environments) {
    const isRefused = follower.isRefused(environment);
    const schedule = scheduleOf?.(environment) ?? usualSchedule;
    const environmentCount = environments.length;
    const about = { environmentCount, isRefused, schedule, nowMs: clock() };
    const due = await findReason(db, environment, about);
    if (due === undefined || isStopping()) continue;
    if (await insertDueTraining(db, environment, due.reason, due.lookedAt)) onAsked();
  }
}
