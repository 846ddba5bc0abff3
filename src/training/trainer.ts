/**
 * Keeps the models of a deployment up to date. Every node asks for a training when one is due, follows what is published and,
 * unless it is told not to, takes trainings from the queue; which node trains is up to the queue.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { TrainingSettings } from '../deployment/deployment.ts';
import type { EventWeights } from '../models/event-weights.ts';
import type { Actor } from '../repository/audit/audit-entries.ts';
import type { Connection, Database } from '../repository/database.ts';
import { createJobQueue, type JobQueue } from '../repository/training/jobs.ts';
import {
  giveBackLostTrainings,
  insertTraining,
  listReadyTrainings,
  type Training,
  type TrainingReason,
} from '../repository/training/trainings.ts';
import { createDirectQueue } from './direct-queue.ts';
import { eventBudget } from './machine.ts';
import { createModelFollower, type Serve } from './model-follower.ts';
import { runTraining } from './run-training.ts';
import { createTrainingThread } from './training-thread.ts';
import { findReason, usualSchedule } from './triggers.ts';

/** Published models are taken up after this long at most. */
const followEveryMs = 1_000;
const lookEveryMs = 2_000;
/** Trainings whose node or job was lost are found so often. */
const sweepEveryMs = 20_000;

export type TrainerOptions = {
  db: Database;
  /** For the training thread, which has a connection of its own. */
  connection: Connection | string;
  environments: readonly string[];
  /** What environments set; what is absent keeps its default. */
  eventWeightsOf?: (environment: string) => EventWeights;
  /** When an environment is trained by itself; absent for the usual. */
  scheduleOf?: (environment: string) => TrainingSettings;
  /** Names this node, and this start of it. */
  node: string;
  /** Threads that share a training; 0: this node takes none from the queue. */
  threadCount: number;
  /** Absent for a node that only trains. @throws when the models cannot be read. */
  serve?: Serve;
  /** Whether a first training of the environment takes so long that a start shall not wait for it; asked when the start comes to it. */
  isLarge?: (environment: string) => boolean;
  /** Another queue, for tests. */
  queue?: JobQueue;
  clock: () => number;
  logger: Logger;
};

export type Trainer = {
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
  let queue: JobQueue | undefined;
  let background: Promise<unknown> = Promise.resolve();

  const request: Trainer['request'] = async (environment, reason, actor) => {
    const training = await insertTraining(db, environment, reason, actor);
    await queue?.send(training.trainingId);
    return training;
  };
  const trainQuickly = async (environment: string): Promise<void> => {
    const eventWeights = options.eventWeightsOf?.(environment);
    const wanted = { environment, nowMs: clock(), learns: false, mostEvents, eventWeights };
    const { buffer } = await thread.train({ ...wanted, stores: false });
    await follower.offerUnpublished(environment, buffer!);
  };
  const trainFirst = (environment: string): Promise<void> =>
    trainQuickly(environment).catch((error) => {
      if (!stopping.signal.aborted)
        logger.error({ environment, err: error }, 'The first training failed; it will be tried again.');
    });
  const trigger = async (): Promise<void> => {
    for (const environment of environments) {
      const isRefused = follower.isRefused(environment);
      const schedule = options.scheduleOf?.(environment) ?? usualSchedule;
      const environmentCount = environments.length;
      const about = { environmentCount, isRefused, schedule, nowMs: clock() };
      const reason = await findReason(db, environment, about);
      if (reason !== undefined && !stopping.signal.aborted) await request(environment, reason);
    }
  };
  const sweep = async (): Promise<void> => {
    await giveBackLostTrainings(db);
    for (const trainingId of await listReadyTrainings(db, environments)) await queue?.send(trainingId);
  };
  /** A failure is logged and tried again at the next turn. */
  const forever = async (intervalMs: number, work: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await work().catch((error) => {
        if (!stopping.signal.aborted) logger.warn({ err: error }, 'Models cannot be kept up; trying again.');
      });
    }
  };
  const startQueue = async (): Promise<void> => {
    const started = await startAny(options);
    if (stopping.signal.aborted) return started.stop();
    queue = started;
    const { eventWeightsOf } = options;
    const run = { db, node, thread, mostEvents, eventWeightsOf, clock, logger, onPublished: follower.offer };
    const isStopping = () => stopping.signal.aborted;
    if (threadCount > 0) queue.take((trainingId) => runTraining({ ...run, isStopping }, trainingId));
    /** What a node left behind when it stopped. */
    await sweep().catch(() => undefined);
  };

  return {
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
      const loops = [forever(lookEveryMs, trigger), forever(sweepEveryMs, sweep)];
      if (serve) loops.push(forever(followEveryMs, follower.look));
      background = Promise.all([startQueue(), ...late, ...loops]);
    },
    request,
    follow: follower.look,
    async stop() {
      stopping.abort();
      await thread.stop();
      await background;
      await queue?.stop();
    },
  };
}

/** The queue, or, where the database has no room for it, what works without. */
async function startAny({ db, environments, queue, logger }: TrainerOptions): Promise<JobQueue> {
  const jobs = queue ?? createJobQueue({ db, logger });
  try {
    await jobs.start();
    return jobs;
  } catch (error) {
    logger.warn({ err: error }, 'There is no job queue; trainings are taken from their record.');
    await jobs.stop().catch(() => undefined);
    return createDirectQueue({ db, environments, logger });
  }
}
