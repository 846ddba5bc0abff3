/**
 * Quick trainings with the default blend: the first models of an environment at a start, and those of
 * its first events, such as an import, which serve until the training that follows has learned the
 * blend. Models that know more events are only replaced after a comparison.
 */

import { runRowsHere } from '../../ranking/models/row-stages.ts';
import type { Database } from '../../repository/database.ts';
import type { Position } from '../../repository/feeds.ts';
import { findTrainingHistory, holdsNothing } from '../../repository/training/training-history.ts';
import type { Training } from '../../repository/training/trainings.ts';
import type { ModelFollower } from './model-follower.ts';
import { createProgress } from './progress.ts';
import { type RunTrainingOptions, trainedBy } from './run-training.ts';
import type { TrainingOptions, TrainingResult } from './train-environment.ts';
import { isOutgrown, leastGrowth } from './triggers.ts';

export type QuickTrainings = {
  /** Serves models that are not published, until some are. */
  trainFirst(environment: string): Promise<void>;
  /** Publishes models before a training if the ones in use know hardly an event of many. */
  trainIfNew(training: Training): Promise<void>;
};

type Options = Pick<RunTrainingOptions, 'db' | 'thread' | 'mostEvents' | 'settingsOf' | 'clock'> & {
  follower: Pick<ModelFollower, 'offer' | 'offerUnpublished'>;
};

export function createQuickTrainings(options: Options): QuickTrainings {
  const { db, thread, mostEvents, settingsOf, clock, follower } = options;
  /** Events of the models that are not published. */
  const first = new Map<string, Position>();
  const wanted = (environment: string) => {
    const by = trainedBy(settingsOf?.(environment));
    return { environment, nowMs: clock(), learns: false, mostEvents, ...by };
  };
  return {
    async trainFirst(environment) {
      const { buffer, watermark } = (await holdsNothing(db, environment))
        ? await trainHere(db, wanted(environment))
        : await thread.train({ ...wanted(environment), stores: false });
      first.set(environment, watermark.eventsUntil);
      await follower.offerUnpublished(environment, buffer!);
    },
    async trainIfNew({ environment, reason }) {
      const { learnt } = await findTrainingHistory(db, environment);
      /** Counted at the training, as its events may be deleted by now. */
      if (learnt && learnt.eventCount > leastGrowth) return;
      const until = learnt?.eventsUntil ?? first.get(environment) ?? {};
      if (!(await isOutgrown(db, environment, until, leastGrowth))) return;
      const stores = reason === 'demand' ? 'demand' : 'unless_held';
      const { version, buffer } = await thread.train({ ...wanted(environment), stores });
      if (version !== undefined) await follower.offer(environment, version, buffer!);
    },
  };
}

/** Trains an empty environment, which is faster than starting a thread. */
async function trainHere(db: Database, wanted: TrainingOptions): Promise<TrainingResult> {
  const { trainEnvironment } = await import('./train-environment.ts');
  const progress = createProgress(() => undefined);
  return trainEnvironment(db, wanted, { progress, runRows: runRowsHere, findServed: async () => undefined });
}
