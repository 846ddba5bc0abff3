/**
 * When a training is due: enough has changed since the last one, something has changed and a while has passed, or there was
 * none yet. After a training that took t the environments of a deployment together rest 10 t, so that training takes a bounded share
 * of the machine however large the data.
 */

import type { Database } from '../repository/database.ts';
import { findServedVersion } from '../repository/model-snapshots.ts';
import {
  countEventsAfter,
  countItemsChangedSince,
  findTrainingHistory,
  type TrainingHistory,
  type TrainingReason,
} from '../repository/trainings.ts';

const restFactor = 10;
const shortestRestMs = 2_000;
/** After one that failed. */
const restAfterFailureMs = 60_000;

/** Of the events, or of the items, of the last training: as much change is worth the next one. */
const enoughShare = 0.01;
/** With less, but something: so often. */
const scheduleMs = 3_600_000;

/** Changes since the last training, counted up to what is enough. */
export type Changes = { events: number; items: number };

export type TriggerOptions = { environmentCount: number; isRefused: boolean };

/** Why the environment is to be trained now, or undefined. */
export async function findReason(
  db: Database,
  environment: string,
  options: TriggerOptions,
): Promise<TrainingReason | undefined> {
  const history = await findTrainingHistory(db, environment);
  if (!mayTrain(history, options.environmentCount)) return undefined;
  const { learnt } = history;
  if (learnt === undefined || options.isRefused) return 'first';
  const served = await findServedVersion(db, environment);
  if (served?.held) return undefined;
  const events = await countEventsAfter(db, environment, learnt.untilSequence, enough(learnt.eventCount));
  const items = await countItemsChangedSince(db, environment, learnt.itemsSnapshot, enough(learnt.itemCount));
  return reasonOf(learnt, { events, items });
}

export function mayTrain({ isPending, last }: TrainingHistory, environmentCount: number): boolean {
  if (isPending) return false;
  if (last === undefined) return true;
  const shortest = last.isLearnt ? shortestRestMs : restAfterFailureMs;
  return last.endedMsAgo >= Math.max(shortest, last.durationMs * restFactor * environmentCount);
}

export function reasonOf(
  learnt: NonNullable<TrainingHistory['learnt']>,
  { events, items }: Changes,
): TrainingReason | undefined {
  if (events >= enough(learnt.eventCount)) return 'events';
  if (items >= enough(learnt.itemCount)) return 'items';
  return events + items > 0 && learnt.endedMsAgo >= scheduleMs ? 'schedule' : undefined;
}

function enough(count: number): number {
  return Math.max(1, Math.ceil(count * enoughShare));
}
