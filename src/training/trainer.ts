/**
 * Keeps the models of a deployment up to date. Every node asks for a training when one is due, follows what is published and,
 * unless it is told not to, takes what waits from the record of trainings, where one node gets it.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { TrainingSettings } from '../deployment/deployment.ts';
import type { EventWeights } from '../models/event-weights.ts';
import type { Actor } from '../repository/audit/audit-entries.ts';
import type { Connection, Database } from '../repository/database.ts';
import {
  giveBackLostTrainings,
  insertTraining,
  type Training,
  type TrainingReason,
} from '../repository/training/trainings.ts';
import { eventBudget } from './machine.ts';
import { createModelFollower, type Serve } from './model-follower.ts';
import { runTraining } from './run-training.ts';
import { createTrainingTaker } from './training-taker.ts';
import { createTrainingThread } from './training-thread.ts';
import { findReason, usualSchedule } from './triggers.ts';

/** Published models are taken up after this long at most. */
const followEveryMs = 1_000;
const lookEveryMs = 2_000;
/** Trainings whose node was lost are found so often. */
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
  const { eventWeightsOf } = options;
  const run = { db, node, thread, mostEvents, eventWeightsOf, clock, logger, onPublished: follower.offer };
  const isStopping = () => stopping.signal.aborted;
  const taker = createTrainingTaker({
    ...{ db, environments, node, logger },
    run: (training) => runTraining({ ...run, isStopping }, training),
  });
  let background: Promise<unknown> = Promise.resolve();

  const request: Trainer['request'] = async (environment, reason, actor) => {
    const training = await insertTraining(db, environment, reason, actor);
    taker.wake();
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
  const sweep = () => giveBackLostTrainings(db);
  /** A failure is logged and tried again at the next turn. */
  const forever = async (intervalMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await work().catch((error) => {
        if (!stopping.signal.aborted) logger.warn({ err: error }, 'Models cannot be kept up; trying again.');
      });
    }
  };
  /** What a node left behind when it stopped waits again. */
  const startTaking = async () => {
    await sweep().catch(() => undefined);
    if (threadCount > 0) taker.start();
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
      background = Promise.all([startTaking(), ...late, ...loops]);
    },
    request,
    follow: follower.look,
    async stop() {
      stopping.abort();
      await thread.stop();
      await background;
      await taker.stop();
    },
  };
}
