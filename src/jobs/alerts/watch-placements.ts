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
import { baselineHours, type Count, type Drop, findCrossing, judgeHours, weekHours } from './drift.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const everyMs = 60_000;
/** Events of an hour may arrive so long after it. */
const lateMs = 5 * 60_000;
const keptDays = 400;

type Watched = Drop & { countOf(hour: PlacementHour | undefined): Count };

/** Metrics by name. `impressions` finds a gap: the whole of an hour is the hour. */
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
    for (const [metric, { countOf, ...drop }] of Object.entries(watched)) {
      const alert = latest.find((one) => one.placement === placement && one.metric === metric);
      const series = { countAt: (hour: number) => countOf(byHour.get(hour)), firstHour: hours[0].hour, drop };
      const judged = judgeHours(series, toHour - weekHours, toHour).filter(
        ({ hour }) => hour > (alert?.usedHour ?? 0),
      );
      if (alert?.resolvedAt === null) {
        const end = findCrossing(judged, -1, Math.log(falseAlarmHours));
        if (end) changes.push({ resolved: { alertId: alert.alertId, usedHour: end.hour } });
      } else {
        const found = findCrossing(judged, 1, logLimit);
        if (found) {
          const { hour: usedHour, ...means } = found;
          changes.push({ raised: { placement, metric, usedHour, ...means } });
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
    for (const change of findChanges(rows, latest, toHour)) {
      if ('raised' in change) {
        logger.warn({ environment, ...change.raised }, 'A placement deviates from its last weeks.');
        await raiseAlert(db, environment, change.raised, at);
      } else await resolveAlert(db, environment, change.resolved, at);
    }
    await deleteOldAlerts(db, environment, new Date(clock() - keptDays * dayMs));
  }
}
