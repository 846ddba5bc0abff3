/** The record of trainings in numbers, for who watches the service. */

import { type Database, query } from '../database.ts';
import type { TrainingState } from './trainings.ts';

export type TrainingCount = {
  environment: string;
  state: TrainingState;
  count: number;
  /** Null for those that have not ended. */
  lastEndedAt: Date | null;
};

const countStatement = `
select environment, state, count(*) as count, max(ended_at) as "lastEndedAt" from trainings group by environment, state`;

/** A few hundred rows an environment are kept. */
export function countTrainings(db: Database): Promise<TrainingCount[]> {
  return query<TrainingCount>(db, { name: 'count-trainings', text: countStatement, values: [] });
}
