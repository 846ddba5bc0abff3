/** Takes trainings that wait, one after the other, straight from their record. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../repository/database.ts';
import { claimTraining, type Training } from '../repository/training/trainings.ts';

/** An idle node asks so often; one that asks for a training itself is told at once. */
const pollingMs = 2_000;

export type TrainingTaker = {
  start(): void;
  /** Looks at once. */
  wake(): void;
  /** Waits for what is run, which must have been told. */
  stop(): Promise<void>;
};

export type TrainingTakerOptions = {
  db: Database;
  environments: readonly string[];
  /** Names this node, and this start of it. */
  node: string;
  /** Records what came of it; a failure too. */
  run(training: Training): Promise<void>;
  logger: Pick<Logger, 'warn'>;
};

export function createTrainingTaker(options: TrainingTakerOptions): TrainingTaker {
  const { db, environments, node, run, logger } = options;
  const stopping = new AbortController();
  let waking = new AbortController();
  let taking: Promise<void> = Promise.resolve();
  const takeNext = async (): Promise<boolean> => {
    try {
      const training = await claimTraining(db, environments, node);
      if (training !== undefined) await run(training);
      return training !== undefined;
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn({ err: error }, 'No training could be taken; trying again.');
      return false;
    }
  };
  const takeForever = async () => {
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      if (await takeNext()) continue;
      const signal = AbortSignal.any([stopping.signal, waking.signal]);
      await delay(pollingMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    start() {
      taking = takeForever();
    },
    wake: () => waking.abort(),
    async stop() {
      stopping.abort();
      await taking;
    },
  };
}
