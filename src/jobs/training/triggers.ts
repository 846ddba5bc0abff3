/**
 * Decides when a training is due: after enough changes, after some changes and an interval, or for
 * the first data of an environment. After a training of duration t, the deployment's environments
 * rest for 10 t by default, which bounds training's share of the machine for any data size. A log
 * four times as large as the trained one ends the rest: such trainings cost a third more in all.
 */

import type { TrainingSettings } from '../../deployment/deployment.ts';
import { latestTimeOfDay } from '../../ranking/runtime/time-zones.ts';
import type { Database } from '../../repository/database.ts';
import { rangesUpTo } from '../../repository/events/event-ranges.ts';
import type { Position } from '../../repository/feeds.ts';
import { findServedVersion } from '../../repository/training/model-snapshots.ts';
import {
  countEventsAfter,
  countEventsIn,
  countItemsChangedSince,
  findTrainingHistory,
  holdsNothing,
  type TrainingHistory,
} from '../../repository/training/training-history.ts';
import type { TrainingReason } from '../../repository/training/trainings.ts';

const shortestRestMs = 2_000;
/** Rest after a failed training. */
const restAfterFailureMs = 60_000;

/** Minimum changed share of the last training's events or items for the next one. */
const enoughShare = 0.01;
const minuteMs = 60_000;

/** Growth of a log that makes its models useless. */
const outgrownFactor = 4;
/** Fewer new events than these are no growth. */
export const leastGrowth = 100;
/** Larger logs are not checked, as counting them takes too long: about 10 ms for these. */
const mostOutgrown = 50_000;

/** The default schedule of an environment. */
export const usualSchedule: TrainingSettings = {
  intervalMinutes: 60,
  timesOfDay: [],
  timeZone: 'UTC',
  restFactor: 10,
};

/** Changes since the last training, counted up to the threshold. */
export type Changes = { events: number; items: number };

export type TriggerOptions = {
  environmentCount: number;
  isRefused: boolean;
  schedule: TrainingSettings;
  nowMs: number;
};

/** `lookedAt`: the time of the check; it misses later requests. */
export type Due = { reason: TrainingReason; lookedAt: Date };

/** Returns why the environment is due for training; undefined if it is not. */
export async function findReason(
  db: Database,
  environment: string,
  options: TriggerOptions,
): Promise<Due | undefined> {
  const history = await findTrainingHistory(db, environment);
  const { environmentCount, schedule, nowMs } = options;
  const { learnt, lookedAt, last, isPending } = history;
  if (!mayTrain(history, environmentCount * schedule.restFactor)) {
    if (isPending || !learnt || !last?.isLearnt) return undefined;
    if (!(await isOutgrown(db, environment, learnt.eventsUntil))) return undefined;
  }
  const served = await findServedVersion(db, environment);
  /** Automatic trainings do not replace held models, not even if a node cannot read them. */
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

/** Whether the events are several times as many as up to a position, with at most `mostKnown` there. */
export async function isOutgrown(
  db: Database,
  environment: string,
  until: Position,
  mostKnown = mostOutgrown,
): Promise<boolean> {
  const known = await countEventsIn(db, environment, rangesUpTo(until), mostKnown + 1);
  if (known > mostKnown) return false;
  const least = Math.max(leastGrowth, known * (outgrownFactor - 1));
  return (await countEventsAfter(db, environment, until, least)) >= least;
}

/** @param restFactor Rest after a training, as a multiple of its duration. */
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
  /** A training started before the scheduled time lacks the events up to it. */
  const begunMsAgo = learnt.endedMsAgo + learnt.durationMs;
  const scheduledMs = latestTimeOfDay(schedule.timesOfDay, nowMs, schedule.timeZone);
  const isMissed = scheduledMs !== undefined && begunMsAgo > nowMs - scheduledMs;
  return isDue || isMissed ? 'schedule' : undefined;
}

function enoughAfter(
  { eventCount, itemCount }: Learnt,
  { newEvents, changedItems }: TrainingSettings,
): Changes {
  const share = (count: number) => Math.max(1, Math.ceil(count * enoughShare));
  return { events: newEvents ?? share(eventCount), items: changedItems ?? share(itemCount) };
}
