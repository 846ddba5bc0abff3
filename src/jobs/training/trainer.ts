/**
 * Keeps the models of a deployment up to date. Every node asks for a training when one is due, follows what is published and,
 * unless it is told not to, takes what waits from the record of trainings, where one node gets it.
 */

import type { Logger } from 'pino';
import type { TrainingSettings } from '../../deployment/deployment.ts';
import { runRowsHere } from '../../ranking/models/row-stages.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import type { Actor } from '../../repository/audit/audit-entries.ts';
import type { Connection, Database } from '../../repository/database.ts';
import { holdsNothing } from '../../repository/training/training-history.ts';
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
import { createProgress } from './progress.ts';
import { runTraining } from './run-training.ts';
import type { TrainedBy, TrainingOptions, TrainingResult } from './train-environment.ts';
import { createTrainingThread } from './training-thread.ts';
import { findReason, usualSchedule } from './triggers.ts';

/** Published models are taken up after this long at most. */
const followEveryMs = 1_000;
const lookEveryMs = 2_000;
/** An idle node asks for what waits so often; one that asks for a training itself is told at once. */
const takeEveryMs = 2_000;
/** Trainings whose node was lost are found so often. */
const sweepEveryMs = 20_000;

export type TrainerOptions = {
  db: Database;
  /** For the training thread, which has a connection of its own. */
  connection: Connection | string;
  environments: readonly string[];
  /** What the environment sets for its trainings; what is absent keeps its default. */
  settingsOf?: (environment: string) => TrainedBy;
  /** When an environment is trained by itself; absent for the usual. */
  scheduleOf?: (environment: string) => TrainingSettings;
  /** Names this node, and this start of it. */
  node: string;
  /** Threads that share a training; 0: this node takes none. */
  threadCount: number;
  /** Absent for a node that only trains. @throws when the models cannot be read. */
  serve?: Serve;
  /** Whether a first training of the environment takes so long that a start shall not wait for it; asked when the start comes to it. */
  isLarge?: (environment: string) => boolean;
  clock: () => number;
  logger: Logger;
};

export type Trainer = {
  /** Reads the published models, while the catalogue is being read, so that the start finds them; never rejects. */
  prefetch(): Promise<void>;
  /**
   * Takes up the published models and quickly trains environments that have none, large ones in the background; then goes on
   * there, learning how to blend them.
   */
  start(): Promise<void>;
  /** The environment's training that waits: a new one, or the one that waited already. */
  request(environment: string, reason: TrainingReason, actor?: Actor): Promise<Training>;
  /** Takes up what is published now, without waiting for the next look. */
  follow(): Promise<void>;
  /** Ends in the middle of a training too; another node then takes it. */
  stop(): Promise<void>;
};

export function createTrainer(options: TrainerOptions): Trainer {
  const { db, connection, environments, node, threadCount, serve, clock, logger } = options;
  const mostEvents = eventBudget();
  const stopping = new AbortController();
  const thread = createTrainingThread({ connection, threadCount: Math.max(1, threadCount) });
  const follower = createModelFollower({ db, environments, serve: serve ?? (async () => {}), logger });
  const { settingsOf } = options;
  const run = { db, node, thread, mostEvents, settingsOf, clock, logger, onPublished: follower.offer };
  const isStopping = () => stopping.signal.aborted;
  const taker = createPeriodic({
    async work() {
      const training = await claimTraining(db, environments, node);
      if (training === undefined) return;
      await runTraining({ ...run, isStopping }, training);
      return 'again';
    },
    ...{
      pauseMs: takeEveryMs,
      firstPauseMs: 0,
      complaint: 'No training could be taken; trying again.',
      logger,
    },
  });
  let background: Promise<unknown> = Promise.resolve();

  const request: Trainer['request'] = async (environment, reason, actor) => {
    const training = await insertTraining(db, environment, reason, actor);
    taker.wake();
    return training;
  };
  const trainQuickly = async (environment: string): Promise<void> => {
    const { eventWeights, fallbacks } = settingsOf?.(environment) ?? {};
    const wanted = { environment, nowMs: clock(), learns: false, mostEvents, eventWeights, fallbacks };
    const { buffer } = (await holdsNothing(db, environment))
      ? await trainHere(db, wanted)
      : await thread.train({ ...wanted, stores: false });
    await follower.offerUnpublished(environment, buffer!);
  };
  const trainFirst = (environment: string): Promise<void> =>
    trainQuickly(environment).catch((error) => {
      if (!stopping.signal.aborted)
        logger.error({ environment, err: error }, 'The first training failed; it will be tried again.');
    });
  const trigger = () => askForDue(options, { follower, isStopping, onAsked: taker.wake });
  const sweep = () => giveBackLostTrainings(db);
  const complaint = 'Models cannot be kept up; trying again.';
  const loops = [
    createPeriodic({ work: trigger, pauseMs: lookEveryMs, complaint, logger }),
    createPeriodic({ work: sweep, pauseMs: sweepEveryMs, complaint, logger }),
  ];
  if (serve) loops.push(createPeriodic({ work: follower.look, pauseMs: followEveryMs, complaint, logger }));

  return {
    async prefetch() {
      if (serve) await follower.prefetch();
    },
    async start() {
      const late: Promise<void>[] = [];
      if (serve) {
        await follower.look().catch((error) => logger.error({ err: error }, 'No models could be read.'));
        for (const environment of environments) {
          if (follower.isServed(environment) || stopping.signal.aborted) continue;
          const first = trainFirst(environment);
          if (options.isLarge?.(environment)) late.push(first);
          else await first;
        }
      }
      for (const loop of loops) loop.start();
      /** What a node left behind when it stopped waits again. */
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

/** Of an environment that holds nothing: done long before a thread would have begun. */
async function trainHere(db: Database, wanted: TrainingOptions): Promise<TrainingResult> {
  const { trainEnvironment } = await import('./train-environment.ts');
  const progress = createProgress(() => undefined);
  return trainEnvironment(db, wanted, { progress, runRows: runRowsHere, findServed: async () => undefined });
}

type Looking = {
  follower: Pick<ModelFollower, 'isRefused'>;
  isStopping: () => boolean;
  onAsked: () => void;
};

/** Asks for every training that is due. */
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
