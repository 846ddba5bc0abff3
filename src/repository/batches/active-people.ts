/** Lists recently active subjects, by the day of the last write to their history. */

import { forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';

/** Histories scanned per statement; takes milliseconds, since it reads no history contents. */
const historiesPerStatement = 5_000;

export type ActivePage = {
  /** Users, or devices without a verified user. Unverified links do not count. */
  subjects: string[];
  /** Distinct users of the active devices. */
  owners: string[];
  /** The last subject scanned; null at the end of the kind. */
  reached: string | null;
};

export type ActiveRange = { bucket: number; environment: string; kind: 'u' | 'd' };

const pageStatement = `
with page as (
  select subject, seen_day, case when linked_at is not null then linked_user end as linked_user from histories
  where bucket = $1 and environment = $2 and subject > $3 and subject < $4
  order by subject limit ${historiesPerStatement}
),
active as (select * from page where seen_day >= $5)
select (select max(subject) from page) as reached,
  array(select subject from active where linked_user is null order by subject) as subjects,
  array(select distinct 'u:' || linked_user from active where linked_user is not null) as owners`;

/** @param after Last subject of the previous page, or ''. @param sinceDay Days since 1970. */
export async function listActivePeople(
  db: Database,
  { bucket, environment, kind }: ActiveRange,
  after: string,
  sinceDay: number,
): Promise<ActivePage> {
  const [first, end] = [`${kind}:`, `${kind};`];
  const values = [bucket, environment, after || first, end, sinceDay];
  return (await query<ActivePage>(db, 'list-active-people', pageStatement, values))[0];
}

const idleStatement = `
select user_subject as subject from unnest($3::text[]) as asked(user_subject)
where not exists (
  select from histories
  where bucket = $1 and environment = $2 and subject = user_subject and seen_day >= $4)`;

/** Returns the users without a write to their own history since `sinceDay`. */
export async function listIdle(
  db: Database,
  environment: string,
  users: readonly string[],
  sinceDay: number,
): Promise<string[]> {
  const idle: string[] = [];
  await forEachBucket(
    db,
    users,
    (subject) => [environment, subject],
    async (bucket, ofBucket) => {
      const values = [bucket, environment, ofBucket, sinceDay];
      const rows = await query<{ subject: string }>(db, 'list-idle', idleStatement, values);
      return idle.push(...rows.map(({ subject }) => subject));
    },
  );
  return idle;
}
