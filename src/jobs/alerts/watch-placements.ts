/** Raises and resolves alerts about placements, once an hour, on one node. */

import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import {
  type Alert,
  claimAlertCheck,
  type Deviation,
  deleteOldAlerts,
  listLatestAlerts,
  raiseAlert,
  resolveAlert,
} from '../../repository/alerts/alerts.ts';
import type { Database } from '../../repository/database.ts';
import { listPlacementHours, type PlacementHour } from '../../repository/metrics/metric-placements.ts';
import { listTrainings, type Training } from '../../repository/training/trainings.ts';
import { baselineHours, type Count, type Drop, findCrossing, judgeHours, weekHours } from './drift.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const everyMs = 60_000;
/** Events of an hour may arrive so long after it. */
const lateMs = 5 * 60_000;
const keptDays = 400;

type Watched = Drop & {
  countOf(hour: PlacementHour | undefined): Count;
  /** Returns the value to show of a mean [the mean]. */
  shown?(mean: number): number;
  /** Belongs to the environment instead of a placement. */
  isOfEnvironment?: boolean;
};

const scoresOf = (hour: PlacementHour | undefined): Count => ({
  part: hour?.list_scores ?? 0,
  whole: hour?.recommendation_sets ?? 0,
});
/** The score whose part of 1 is the mean; see served-calls.ts. */
const scoreOf = (mean: number) => mean / (1 - Math.min(mean, 1 - 1e-6));

/**
 * Metrics by name. `impressions` finds a gap: the whole of an hour is the hour. Freshness and scores
 * are sums of parts of 1, which vary no more than counts with the same mean.
 */
const watched: Readonly<Record<string, Watched>> = {
  click_through_rate: {
    ...{ least: 0.9, lost: 0.7 },
    countOf: (hour) => ({ part: hour?.clicks ?? 0, whole: hour?.impressions ?? 0 }),
  },
  fill: {
    ...{ least: 0.98, lost: 0.9 },
    countOf: (hour) => ({ part: hour?.recommendation_sets ?? 0, whole: hour?.requests ?? 0 }),
  },
  impressions: {
    ...{ least: 0.5, lost: 0.05 },
    countOf: (hour) => ({ part: hour?.impressions ?? 0, whole: 1 }),
  },
  catalogue_age: {
    ...{ least: 0.6, lost: 0.25 },
    countOf: (hour) => ({ part: hour?.list_freshness ?? 0, whole: hour?.recommendation_sets ?? 0 }),
    shown: (mean) => 1 / Math.max(mean, 1e-4) - 1,
  },
  first_score: { least: 0.9, lost: 0.7, countOf: scoresOf, shown: scoreOf },
  first_score_rise: { least: 1.1, lost: 1.4, countOf: scoresOf, shown: scoreOf },
  no_result_rate: {
    ...{ least: 0.98, lost: 0.9 },
    countOf: (hour) => {
      const whole = hour?.search_requests ?? 0;
      return { part: whole - (hour?.searches_without_results ?? 0), whole };
    },
    shown: (mean) => 1 - mean,
    isOfEnvironment: true,
  },
};

/** Mean hours between false alarms of an environment: a month. */
const falseAlarmHours = 30 * 24;

export type AlertChange = { raised: Deviation } | { resolved: Pick<Alert, 'alertId' | 'usedHour'> };

/**
 * Returns the alerts to raise and to resolve, at most one change of a placement and metric. The last
 * week is judged; an hour counts for one alert only.
 * @param rows Hours of five weeks, in order. @param latest Latest alert of each placement and metric.
 */
export function findChanges(
  rows: readonly PlacementHour[],
  latest: readonly Alert[],
  toHour: number,
): AlertChange[] {
  const placements = Map.groupBy(rows, ({ placement }) => placement);
  const logLimit = Math.log(falseAlarmHours * placements.size * Object.keys(watched).length);
  const changes: AlertChange[] = [];
  for (const [placement, hours] of placements) {
    const byHour = new Map(hours.map((row) => [row.hour, row]));
    for (const [
      metric,
      { countOf, shown = (mean: number) => mean, isOfEnvironment = false, ...drop },
    ] of Object.entries(watched)) {
      if (isOfEnvironment !== (placement === '')) continue;
      const alert = latest.find((one) => one.placement === placement && one.metric === metric);
      const firstHour = hours.find((row) => countOf(row).part > 0)?.hour ?? toHour;
      const series = { countAt: (hour: number) => countOf(byHour.get(hour)), firstHour, drop };
      const judged = judgeHours(series, toHour - weekHours, toHour).filter(
        ({ hour }) => hour > (alert?.usedHour ?? 0),
      );
      if (alert?.resolvedAt === null) {
        const end = findCrossing(judged, -1, Math.log(falseAlarmHours));
        if (end) changes.push({ resolved: { alertId: alert.alertId, usedHour: end.hour } });
      } else {
        const found = findCrossing(judged, 1, logLimit);
        if (found) {
          const { hour: usedHour, fromHour, ...means } = found;
          const [expected, observed] = [shown(means.expected), shown(means.observed)];
          changes.push({ raised: { placement, metric, fromHour, usedHour, expected, observed } });
        }
      }
    }
  }
  /** Without counts for five weeks, the placement is not used any more. */
  const gone = latest.filter(
    ({ resolvedAt, placement, metric }) =>
      resolvedAt === null && Object.hasOwn(watched, metric) && !placements.has(placement),
  );
  return [...changes, ...gone.map(({ alertId }) => ({ resolved: { alertId, usedHour: toHour - 1 } }))];
}

const ofTrainings = 'trainings';
/** Trainings read; further failures in a row are not counted. */
const mostTrainings = 20;

/** @param trainings Newest first; a failed one raises an alert if none waits or runs. */
export function findTrainingChange(
  trainings: readonly Pick<Training, 'state' | 'endedAt'>[],
  latest: readonly Alert[],
  toHour: number,
): AlertChange | undefined {
  const alert = latest.find(({ metric, resolvedAt }) => metric === ofTrainings && resolvedAt === null);
  const ended = trainings.filter(({ endedAt }) => endedAt !== null);
  const good = ended.findIndex(({ state }) => state !== 'failed');
  const failed = ended.slice(0, good < 0 ? undefined : good);
  if (alert)
    return failed.length === 0 && good === 0
      ? { resolved: { alertId: alert.alertId, usedHour: toHour - 1 } }
      : undefined;
  if (failed.length === 0 || trainings[0].endedAt === null) return undefined;
  const fromHour = Math.floor(failed.at(-1)!.endedAt!.getTime() / hourMs);
  const means = { expected: 0, observed: failed.length };
  return { raised: { placement: '', metric: ofTrainings, fromHour, usedHour: toHour - 1, ...means } };
}

export type AlertsOptions = {
  db: Database;
  environments: readonly string[];
  /** Updates the counts with everything stored and served until now. */
  completeCounts: () => Promise<void>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
};

export function createPlacementWatch(options: AlertsOptions): Periodic {
  return createPeriodic({
    work: () => watchPlacements(options),
    pauseMs: everyMs,
    complaint: 'Placements could not be watched; trying again with the next hour.',
    logger: options.logger,
  });
}

/** Checks the environments that no node has checked in this hour. */
export async function watchPlacements(options: AlertsOptions): Promise<void> {
  const { db, environments, completeCounts, clock, logger } = options;
  const toHour = Math.floor((clock() - lateMs) / hourMs);
  const at = new Date(clock());
  for (const environment of environments) {
    if (!(await claimAlertCheck(db, environment, toHour))) continue;
    await completeCounts();
    const judgedFrom = toHour - weekHours;
    const rows = await listPlacementHours(db, environment, { fromHour: judgedFrom - baselineHours, toHour });
    const latest = await listLatestAlerts(db, environment, judgedFrom);
    const trainings = await listTrainings(db, environment, mostTrainings);
    const ofTraining = findTrainingChange(trainings, latest, toHour);
    for (const change of [...findChanges(rows, latest, toHour), ...(ofTraining ? [ofTraining] : [])]) {
      if ('raised' in change) {
        logger.warn({ environment, ...change.raised }, 'An alert is raised.');
        await raiseAlert(db, environment, change.raised, at);
      } else await resolveAlert(db, environment, change.resolved, at);
    }
    await deleteOldAlerts(db, environment, new Date(clock() - keptDays * dayMs));
  }
}
