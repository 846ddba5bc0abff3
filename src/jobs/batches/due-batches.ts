/** Requests the scheduled batches of the deployment at their times of day, once for all nodes. */

import { randomUUID } from 'node:crypto';
import type { BatchSchedule } from '../../deployment/deployment.ts';
import { latestTimeOfDay } from '../../ranking/runtime/time-zones.ts';
import { insertDueBatch } from '../../repository/batches/batches.ts';
import type { Database } from '../../repository/database.ts';

/** A time of day that passed while no node ran is made up for within this delay. */
const longestDelayMs = 3_600_000;

/** Returns the latest scheduled time before now, unless it is too long ago. */
export function dueAt(
  { timesOfDay, timeZone }: Pick<BatchSchedule, 'timesOfDay' | 'timeZone'>,
  nowMs: number,
): Date | undefined {
  const latestMs = latestTimeOfDay(timesOfDay, nowMs, timeZone);
  return latestMs !== undefined && nowMs - latestMs <= longestDelayMs ? new Date(latestMs) : undefined;
}

/** Returns whether it has requested any batch. */
export async function askForDue(
  db: Database,
  environment: string,
  schedules: readonly BatchSchedule[],
  nowMs: number,
): Promise<boolean> {
  let isAny = false;
  for (const schedule of schedules) {
    const moment = dueAt(schedule, nowMs);
    if (moment === undefined) continue;
    const batch = { batchId: randomUUID(), environment, request: schedule.request };
    const isNew = await insertDueBatch(db, batch, { schedule: schedule.name, dueAt: moment });
    isAny ||= isNew;
  }
  return isAny;
}
