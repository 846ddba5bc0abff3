/** What an environment keeps for how long, and forgetting the rest: once a day, by one node. */

import { type Database, execute } from '../database.ts';
import { forgetEvents } from './old-events.ts';
import { forgetHistories } from './old-histories.ts';
import { forgetMetricNames, forgetMetrics } from './old-metrics.ts';
import type { Pace } from './pace.ts';

export type Retention = {
  environment: string;
  /** Since the arrival of an event; undefined for ever, here and below. */
  eventsDays: number | undefined;
  /** Since a user or device was seen last. */
  historiesDays: number | undefined;
  /** Since the hour that is counted. */
  metricsDays: number | undefined;
  /** Of counts by names, since the hour that is counted. */
  metricNamesDays: number;
  attributionWindowMs: number;
};

/** Rows that went. */
export type Forgotten = { events: number; histories: number; metrics: number };

const dayMs = 86_400_000;

export async function forget(
  db: Database,
  retention: Retention,
  nowMs: number,
  pace: Pace,
): Promise<Forgotten> {
  const { environment, eventsDays, historiesDays, metricsDays, metricNamesDays, attributionWindowMs } =
    retention;
  const forgotten: Forgotten = { events: 0, histories: 0, metrics: 0 };
  if (eventsDays !== undefined)
    forgotten.events = await forgetEvents(db, environment, new Date(nowMs - eventsDays * dayMs), pace);
  if (historiesDays !== undefined) {
    const beforeDay = Math.floor(nowMs / dayMs) - historiesDays;
    forgotten.histories = await forgetHistories(db, environment, beforeDay, pace);
  }
  if (metricsDays !== undefined) {
    const old = { environment, firstHour: firstHourKept(metricsDays, nowMs), attributionWindowMs };
    forgotten.metrics = await forgetMetrics(db, old, pace);
  }
  const firstHour = firstHourKept(metricNamesDays, nowMs);
  forgotten.metrics += await forgetMetricNames(db, { environment, firstHour, attributionWindowMs }, pace);
  return forgotten;
}

/** The oldest hour, since 1970, that is kept whole. */
export function firstHourKept(metricsDays: number, nowMs: number): number {
  return Math.floor(nowMs / 3_600_000) - 24 * metricsDays;
}

/** Of several nodes one gets the day's turn; when it ends early, another day comes. */
const turnStatement = `
insert into settings as known (key, value) values ('forgot_at', to_json(now()))
on conflict (key) do update set value = excluded.value
where (known.value #>> '{}')::timestamptz < now() - interval '20 hours'`;

export async function takeTurn(db: Database): Promise<boolean> {
  return (await execute(db, { name: '', text: turnStatement, values: [] })) > 0;
}

/** Who failed leaves it to the next look of any node. */
export async function giveTurnBack(db: Database): Promise<void> {
  await db.kysely.deleteFrom('settings').where('key', '=', 'forgot_at').execute();
}
