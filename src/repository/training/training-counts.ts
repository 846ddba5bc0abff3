/** The record of trainings in numbers, for who watches the service. */

import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import type { TrainingState } from './trainings.ts';

export type TrainingCount = {
  environment: string;
  state: TrainingState;
  count: number;
  /** Null for those that have not ended. */
  lastEndedAt: Date | null;
};

const countShape: Shape<TrainingCount> = {
  environment: 'text',
  state: 'text',
  count: 'int8',
  lastEndedAt: 'timestamptz?',
};

const countStatement = `
select environment, state, count(*) as count, max(ended_at) as "lastEndedAt" from trainings group by environment, state`;

/** A few hundred rows an environment are kept. */
export function countTrainings(db: Database): Promise<TrainingCount[]> {
  return query(db, { name: 'count-trainings', text: countStatement, values: [] }, countShape);
}
