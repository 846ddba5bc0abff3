/** Who did something, or was shown something, lately: by the day on which a history was written last. */

import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';

/** Histories looked at by a statement; some milliseconds, since their long texts are not read. */
const historiesPerStatement = 5_000;

export type ActivePage = {
  /** Users, or devices that belong to none; those that are only claimed to be somebody's are nobody's. */
  subjects: string[];
  /** Users whose devices they are; each of them once. */
  owners: string[];
  /** The last subject that was looked at; null at the end of the kind. */
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

/** @param after '' at the beginning. @param sinceDay In days since 1970. */
export async function listActivePeople(
  db: Database,
  { bucket, environment, kind }: ActiveRange,
  after: string,
  sinceDay: number,
): Promise<ActivePage> {
  const [first, end] = [`${kind}:`, `${kind};`];
  const values = [bucket, environment, after || first, end, sinceDay];
  const statement = { name: 'list-active-people', text: pageStatement, values };
  const shape = { reached: 'text?', subjects: 'text[]', owners: 'text[]' } as const;
  return (await query<ActivePage>(db, statement, shape))[0];
}

const idleStatement = `
select user_subject as subject from unnest($3::text[]) as asked(user_subject)
where not exists (
  select from histories
  where bucket = $1 and environment = $2 and subject = user_subject and seen_day >= $4)`;

/** Those of the users whose own histories nothing was written to. */
export async function listIdle(
  db: Database,
  environment: string,
  users: readonly string[],
  sinceDay: number,
): Promise<string[]> {
  const bucketCount = await bucketCountOf(db);
  const idle: string[] = [];
  await forEachBucket(
    users,
    (subject) => bucketOf(bucketCount, environment, subject),
    async (bucket, ofBucket) => {
      const values = [bucket, environment, ofBucket, sinceDay];
      const statement = { name: 'list-idle', text: idleStatement, values };
      const rows = await query<{ subject: string }>(db, statement, { subject: 'text' });
      idle.push(...rows.map(({ subject }) => subject));
      return [];
    },
  );
  return idle;
}
