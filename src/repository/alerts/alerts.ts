/** Alerts about placements; one of a placement and metric is open at a time. */

import { sql } from 'kysely';
import { appendedChange, bucketOfChanges, type ChangeKind, selectAppended } from '../changes/changes.ts';
import type { Database } from '../database.ts';
import { type PageKey, pageOf } from '../moments.ts';

/** State of a placement and metric by their counts. */
export type Deviation = {
  placement: string;
  metric: string;
  /** Hours since 1970: the first that deviates, and the last that was read. */
  fromHour: number;
  usedHour: number;
  /** Means over these hours. */
  expected: number;
  observed: number;
};

export type Alert = Deviation & { alertId: string; raisedAt: Date; resolvedAt: Date | null };

type AlertQuery = { environment: string; isOpen?: boolean };

/** Takes the check of an environment up to an hour; false if a node has it. */
export async function claimAlertCheck(
  { kysely }: Database,
  environment: string,
  untilHour: number,
): Promise<boolean> {
  const claimed = await kysely
    .insertInto('alert_checks')
    .values({ environment, until_hour: untilHour })
    .onConflict((conflict) =>
      conflict
        .column('environment')
        .doUpdateSet({ until_hour: untilHour })
        .where('alert_checks.until_hour', '<', untilHour),
    )
    .returning('environment')
    .executeTakeFirst();
  return claimed !== undefined;
}

const selectAlerts = ({ kysely }: Database, environment: string) =>
  kysely
    .selectFrom('alerts')
    .select(['alert_id as alertId', 'placement', 'metric', 'from_hour as fromHour'])
    .select(['used_hour as usedHour', 'expected', 'observed'])
    .select(['raised_at as raisedAt', 'resolved_at as resolvedAt'])
    .where('environment', '=', environment);

/** Lists alerts after a key, the newest first. */
export function listAlerts(
  db: Database,
  { environment, isOpen }: AlertQuery,
  limit: number,
  after?: PageKey,
): Promise<(Alert & { raisedAtUs: number })[]> {
  let listed = selectAlerts(db, environment);
  if (isOpen !== undefined) listed = listed.where('resolved_at', isOpen ? 'is' : 'is not', null);
  return listed
    .$call(pageOf({ time: 'raised_at', id: 'alert_id', as: 'raisedAtUs', after, limit }))
    .execute();
}

/** Lists the latest alert of each placement and metric that was changed since an hour, or is open. */
export function listLatestAlerts(db: Database, environment: string, sinceHour: number): Promise<Alert[]> {
  return selectAlerts(db, environment)
    .distinctOn(['placement', 'metric'])
    .where(sql<boolean>`(resolved_at is null or used_hour >= ${sinceHour})`)
    .orderBy('placement')
    .orderBy('metric')
    .orderBy('used_hour', 'desc')
    .execute();
}

/** Raises an alert and announces it; without effect while one of the placement and metric is open. */
export async function raiseAlert(
  db: Database,
  environment: string,
  { placement, metric, fromHour, usedHour, expected, observed }: Deviation,
  at: Date,
): Promise<void> {
  const raised = db.kysely
    .insertInto('alerts')
    .values({
      ...{ environment, placement, metric, from_hour: fromHour, used_hour: usedHour },
      ...{ expected, observed, raised_at: at },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll();
  await selectAppended(db, raised, await announced(db, environment, 'alert.raised'));
}

/** Resolves an open alert and announces it. */
export async function resolveAlert(
  db: Database,
  environment: string,
  { alertId, usedHour }: Pick<Alert, 'alertId' | 'usedHour'>,
  at: Date,
): Promise<void> {
  const resolved = db.kysely
    .updateTable('alerts')
    .set({ resolved_at: at, used_hour: usedHour })
    .where('alert_id', '=', alertId)
    .where('resolved_at', 'is', null)
    .returningAll();
  await selectAppended(db, resolved, await announced(db, environment, 'alert.resolved'));
}

async function announced(db: Database, environment: string, kind: ChangeKind) {
  const data = sql`json_build_object('alert_id', alert_id, 'placement', placement, 'metric', metric,
    'expected', expected, 'observed', observed)`;
  const bucket = await bucketOfChanges(db, environment);
  return appendedChange({ bucket, environment: sql`environment`, kind, data });
}

/** Deletes resolved alerts of an environment that were raised before. */
export async function deleteOldAlerts(
  { kysely }: Database,
  environment: string,
  before: Date,
): Promise<void> {
  await kysely
    .deleteFrom('alerts')
    .where('environment', '=', environment)
    .where('resolved_at', 'is not', null)
    .where('raised_at', '<', before)
    .execute();
}
