import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { ask, type EventWindow, inWindow, mostExamples } from './question.ts';

export type SharedDevices = {
  /** Devices of more than one user; `count` is the number of users. */
  cases: { text: string; count: number }[];
  sharedCount: number;
  /** Devices of any user. */
  deviceCount: number;
};

export async function findSharedDevices(
  db: Database,
  window: EventWindow,
): Promise<SharedDevices | undefined> {
  const rows = await ask<{ text: string; count: number; sharedCount: number; deviceCount: number }>(
    db,
    window.timeoutMs,
    sql`with pairs as (
        select distinct device_id, user_id from events
        where ${inWindow(window)} and device_id is not null and user_id is not null and not robot
      ),
      devices as (select device_id, count(*) as count from pairs group by device_id)
      select device_id as text, count, count(*) filter (where count > 1) over () as "sharedCount",
        count(*) over () as "deviceCount"
      from devices order by count desc, device_id limit ${mostExamples}`,
    { text: 'text', count: 'int8', sharedCount: 'int8', deviceCount: 'int8' },
  );
  if (rows === undefined) return undefined;
  const { sharedCount, deviceCount } = rows[0] ?? { sharedCount: 0, deviceCount: 0 };
  return { cases: rows.filter(({ count }) => count > 1), sharedCount, deviceCount };
}
