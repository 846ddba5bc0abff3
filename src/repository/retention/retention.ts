/** Retention of an environment's data. One node deletes expired data once a day. */

import { listBuckets } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { forgetEvents } from './old-events.ts';
import { forgetMetricNames, forgetMetrics } from './old-metrics.ts';
import { forgetPages, type Pace, type Page } from './pace.ts';

export type Retention = {
  environment: string;
  /** Days since arrival. Undefined means unlimited, here and below. */
  eventsDays: number | undefined;
  /** Days since the subject was last active. */
  historiesDays: number | undefined;
  /** Days since the counted hour. */
  metricsDays: number | undefined;
  /** Days since the counted hour, for counts by dimension. */
  metricNamesDays: number;
  attributionWindowMs: number;
};

/** Numbers of deleted rows. */
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

const historiesPerStatement = 5_000;

/** Keeps subjects that become active meanwhile: Postgres rechecks the condition on changed rows. */
const forgetStatement = `
with page as (
  select subject, seen_day from histories
  where bucket = $1 and environment = $2 and subject > $3
  order by subject limit ${historiesPerStatement}
),
gone as (
  delete from histories
  where bucket = $1 and environment = $2 and seen_day < $4
    and subject in (select subject from page where seen_day < $4)
  returning subject
)
select (select max(subject) from page) as "reached", (select count(*) from gone) as "count"`;

/** @param beforeDay Deletes histories last seen before this day (days since 1970). */
async function forgetHistories(
  db: Database,
  environment: string,
  beforeDay: number,
  pace: Pace,
): Promise<number> {
  let count = 0;
  for (const bucket of await listBuckets(db)) {
    count += await forgetPages(pace, '', (place) => {
      const values = [bucket, environment, place, beforeDay];
      return query<Page<string>>(db, 'forget-histories', forgetStatement, values);
    });
  }
  return count;
}

/** Returns the oldest hour that is kept in full, in hours since 1970. */
export function firstHourKept(metricsDays: number, nowMs: number): number {
  return Math.floor(nowMs / 3_600_000) - 24 * metricsDays;
}

/** Claims the daily run for one node. A run that ends early continues on the next day. */
const turnStatement = `
insert into settings as known (key, value) values ('forgot_at', to_json(now()))
on conflict (key) do update set value = excluded.value
where (known.value #>> '{}')::timestamptz < now() - interval '20 hours'`;

export async function takeTurn(db: Database): Promise<boolean> {
  return (await execute(db, '', turnStatement, [])) > 0;
}

/** Releases the daily run after a failure, so that any node can retry. */
export async function giveTurnBack(db: Database): Promise<void> {
  await db.kysely.deleteFrom('settings').where('key', '=', 'forgot_at').execute();
}
