/** Runs one recorded training on this node, reports its progress and records its result. */

import type { Logger } from 'pino';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import type { Database } from '../../repository/database.ts';
import {
  endTraining,
  giveBackTraining,
  reportTraining,
  type Training,
} from '../../repository/training/trainings.ts';
import type { TrainedBy } from './train-environment.ts';
import type { TrainingThread } from './training-thread.ts';
import type { Trained } from './worker.ts';

export type RunTrainingOptions = {
  db: Database;
  /** Identifies this node and its current run. */
  node: string;
  thread: TrainingThread;
  mostEvents: number;
  /** Returns the environment's training settings. */
  settingsOf?: (environment: string) => TrainedBy;
  /** Does what comes before a training, while it is reported as running; never rejects [nothing]. */
  prepare?(training: Training): Promise<void>;
  /** Loads the published models. */
  onPublished(environment: string, version: number, buffer: SharedArrayBuffer): Promise<void>;
  isStopping(): boolean;
  clock: () => number;
  logger: Logger;
};

/** Much shorter than the silence after which a training counts as lost. */
const reportEveryMs = 1_000;

/** Runs a training claimed by this node; a failed one is retried a limited number of times. */
export async function runTraining(options: RunTrainingOptions, training: Training): Promise<void> {
  const { db, logger } = options;
  const { environment, reason } = training;
  try {
    const trained = await trainReporting(options, training);
    if (trained.version !== undefined)
      await options.onPublished(environment, trained.version, trained.buffer!);
    await endTraining(db, training, outcomeOf(trained));
    logger.info({ environment, reason, version: trained.version }, trained.verdict.decision);
  } catch (error) {
    const isInterrupted = options.isStopping();
    const [message] = String((error as Error).message ?? error).split('\n');
    await giveBackTraining(db, training, { message, isInterrupted });
    if (!isInterrupted)
      logger.error({ environment, err: error }, 'Training failed; the previous models stay in use.');
  }
}

/** Picks what trainings read of an environment's settings. */
export function trainedBy(settings: TrainedBy = {}): TrainedBy {
  const { eventWeights, ratingScale, fallbacks, itemTypes, vectors } = settings;
  return { eventWeights, ratingScale, fallbacks, itemTypes, vectors };
}

async function trainReporting(options: RunTrainingOptions, training: Training): Promise<Trained> {
  const { db, thread, mostEvents, settingsOf, clock, logger } = options;
  const { environment, reason } = training;
  let stage: string | null = null;
  let progress = 0;
  const reporting = createPeriodic({
    work: () => reportTraining(db, training, stage, progress),
    pauseMs: reportEveryMs,
    complaint: 'The progress of a training cannot be recorded; trying again.',
    facts: { environment },
    logger,
  });
  reporting.start();
  try {
    await options.prepare?.(training);
    const stores = reason === 'demand' ? ('demand' as const) : ('unless_held' as const);
    const { trainingId, attempts } = training;
    const claim = { trainingId, attempts, node: options.node };
    const by = trainedBy(settingsOf?.(environment));
    const request = { environment, nowMs: clock(), learns: true, mostEvents, ...by };
    return await thread.train({ ...request, stores, claim }, (nextStage, share) => {
      stage = nextStage;
      progress = share;
    });
  } finally {
    await reporting.stop();
  }
}

function outcomeOf({ verdict, version, itemCount, eventCount, watermark, learntBlend }: Trained) {
  const { isPublished, ...judged } = verdict;
  return {
    state: isPublished ? ('published' as const) : ('kept' as const),
    ...{ ...judged, itemCount, eventCount },
    version: version ?? null,
    ...watermark,
    learntBlend,
  };
}
