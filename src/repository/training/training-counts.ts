/** Numbers of trainings, for metrics. */

import type { Database } from '../database.ts';
import type { TrainingState } from './trainings.ts';

export type TrainingCount = {
  environment: string;
  state: TrainingState;
  count: number;
  /** Null for trainings that have not ended. */
  lastEndedAt: Date | null;
};

export function countTrainings(db: Database): Promise<TrainingCount[]> {
  return db.kysely
    .selectFrom('trainings')
    .select(['environment', 'state', ({ fn }) => fn.countAll<number>().as('count')])
    .select(({ fn }) => fn.max('ended_at').as('lastEndedAt'))
    .groupBy(['environment', 'state'])
    .$narrowType<{ state: TrainingState }>()
    .execute();
}
