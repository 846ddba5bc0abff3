/** Finds IDs that should name one thing and occur with many: a device, a user or an event. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { type EventWindow, inWindow, mostExamples, runTimedQuery } from './timed-query.ts';

const columns = {
  /** Devices by their users. */
  device: ['device_id', 'user_id'],
  /** Users by their devices. */
  user: ['user_id', 'device_id'],
  /** Event IDs by the types of their events; within a type a repetition is not stored. */
  event: ['event_id', 'event_type'],
} as const;

export type SharedIds = {
  /** IDs that occur with more than `most` others, and with how many. */
  cases: { text: string; count: number }[];
  sharedCount: number;
  /** IDs that occur with any. */
  idCount: number;
};

export async function findSharedIds(
  db: Database,
  window: EventWindow,
  kind: keyof typeof columns,
  most: number,
): Promise<SharedIds | undefined> {
  const [id, other] = columns[kind].map((column) => sql.ref(column));
  const rows = await runTimedQuery<{ text: string; count: number; sharedCount: number; idCount: number }>(
    db,
    window.timeoutMs,
    sql`with pairs as (
        select distinct ${id} as id, ${other} from events
        where ${inWindow(window)} and ${id} is not null and ${other} is not null and not robot
      ),
      ids as (select id, count(*) as count from pairs group by id)
      select id as text, count, count(*) filter (where count > ${most}) over () as "sharedCount",
        count(*) over () as "idCount"
      from ids order by count desc, id limit ${mostExamples}`,
  );
  if (rows === undefined) return undefined;
  const { sharedCount, idCount } = rows[0] ?? { sharedCount: 0, idCount: 0 };
  return { cases: rows.filter(({ count }) => count > most), sharedCount, idCount };
}
