/**
 * When a training is due: enough has changed since the last one, something has changed and a while
 * has passed, or there was none yet of an environment that holds something. After a training that
 * took t the environments of a deployment together rest 10 t by default, so that training takes a
 * bounded share of the machine however large the data.
 */

import type { TrainingSettings } from '../../deployment/deployment.ts';
import type { Database } from '../../repository/database.ts';
import { findServedVersion } from '../../repository/training/model-snapshots.ts';
import {
  countEventsAfter,
  countItemsChangedSince,
  findTrainingHistory,
  holdsNothing,
  type TrainingHistory,
} from '../../repository/training/training-history.ts';
import type { TrainingReason } from '../../repository/training/trainings.ts';

const shortestRestMs = 2_000;
/** After one that failed. */
const restAfterFailureMs = 60_000;

/** Of the events, or of the items, of the last training: as much change is worth the next one. */
const enoughShare = 0.01;
const minuteMs = 60_000;
const dayMinutes = 1_440;

/** What an environment begins with. */
export const usualSchedule: TrainingSettings = { intervalMinutes: 60, timesOfDay: [], restFactor: 10 };

/** Changes since the last training, counted up to what is enough. */
export type Changes = { events: number; items: number };

export type TriggerOptions = {
  environmentCount: number;
  isRefused: boolean;
  schedule: TrainingSettings;
  nowMs: number;
};

/** `lookedAt`: what was asked for later was not seen. */
export type Due = { reason: TrainingReason; lookedAt: Date };

/** Why the environment is to be trained now, or undefined. */
export async function findReason(
  db: Database,
  environment: string,
  options: TriggerOptions,
): Promise<Due | undefined> {
  const history = await findTrainingHistory(db, environment);
  const { environmentCount, schedule, nowMs } = options;
  if (!mayTrain(history, environmentCount * schedule.restFactor)) return undefined;
  const { learnt, lookedAt } = history;
  const served = await findServedVersion(db, environment);
  /** What is trained by itself would not be published, also where a node cannot read what it shall serve. */
  if (served?.held) return undefined;
  if (options.isRefused) return { reason: 'first', lookedAt };
  if (learnt === undefined)
    return (await holdsNothing(db, environment)) ? undefined : { reason: 'first', lookedAt };
  const enough = enoughAfter(learnt, schedule);
  const events = await countEventsAfter(db, environment, learnt.eventsUntil, enough.events);
  const items = await countItemsChangedSince(db, environment, learnt.itemsUntil, enough.items);
  const reason = reasonOf(learnt, { events, items }, { schedule, nowMs });
  return reason && { reason, lookedAt };
}

/** @param restFactor Rest after a training, as a multiple of what it took. */
export function mayTrain(
  { isPending, last }: Pick<TrainingHistory, 'isPending' | 'last'>,
  restFactor: number,
): boolean {
  if (isPending) return false;
  if (last === undefined) return true;
  const shortest = last.isLearnt ? shortestRestMs : restAfterFailureMs;
  return last.endedMsAgo >= Math.max(shortest, last.durationMs * restFactor);
}

type Learnt = NonNullable<TrainingHistory['learnt']>;

export function reasonOf(
  learnt: Learnt,
  { events, items }: Changes,
  { schedule, nowMs }: Pick<TriggerOptions, 'schedule' | 'nowMs'>,
): TrainingReason | undefined {
  const enough = enoughAfter(learnt, schedule);
  if (events >= enough.events) return 'events';
  if (items >= enough.items) return 'items';
  if (events + items === 0) return undefined;
  const isDue = learnt.endedMsAgo >= schedule.intervalMinutes * minuteMs;
  /** A training that had begun before the time of day has not read what came until then. */
  const begunMsAgo = learnt.endedMsAgo + learnt.durationMs;
  return isDue || begunMsAgo > sinceTimeOfDayMs(schedule, nowMs) ? 'schedule' : undefined;
}

function enoughAfter(
  { eventCount, itemCount }: Learnt,
  { newEvents, changedItems }: TrainingSettings,
): Changes {
  const share = (count: number) => Math.max(1, Math.ceil(count * enoughShare));
  return { events: newEvents ?? share(eventCount), items: changedItems ?? share(itemCount) };
}

/** Since the latest of the times of day, today's or yesterday's. */
function sinceTimeOfDayMs({ timesOfDay }: TrainingSettings, nowMs: number): number {
  const nowMinutes = (nowMs / minuteMs) % dayMinutes;
  const ages = timesOfDay.map((time) => (nowMinutes - time + dayMinutes) % dayMinutes);
  return Math.min(...ages) * minuteMs;
}
