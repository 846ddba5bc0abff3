/** Requests the scheduled batches of the deployment at their times of day, once for all nodes. */

import { randomUUID } from 'node:crypto';
import type { BatchSchedule } from '../../deployment/deployment.ts';
import { insertDueBatch } from '../../repository/batches/batches.ts';
import type { Database } from '../../repository/database.ts';

const minuteMs = 60_000;
const dayMinutes = 1_440;

/** A time of day that passed while no node ran is made up for within this delay. */
const longestDelayMs = 60 * minuteMs;

/** Returns the latest scheduled time before now, unless it is too long ago. */
export function dueAt({ timesOfDay }: Pick<BatchSchedule, 'timesOfDay'>, nowMs: number): Date | undefined {
  const nowMinutes = Math.floor(nowMs / minuteMs);
  const ages = timesOfDay.map((time) => (((nowMinutes - time) % dayMinutes) + dayMinutes) % dayMinutes);
  const age = Math.min(...ages);
  return age * minuteMs <= longestDelayMs ? new Date((nowMinutes - age) * minuteMs) : undefined;
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
