/** Who did something, or was shown something, lately: by the day on which a history was written last. */

import { type Database, query } from '../database.ts';

/** Histories looked at by a statement; some milliseconds, since their long texts are not read. */
const historiesPerStatement = 5_000;

export type ActivePage = {
  /** Subjects: users, and devices that belong to none. */
  subjects: string[];
  /** The last subject that was looked at; null at the end of the bucket. */
  reached: string | null;
};

const pageStatement = `
with page as (
  select subject, seen_day, linked_user from histories
  where bucket = $1 and environment = $2 and subject > $3 order by subject limit ${historiesPerStatement}
)
select (select max(subject) from page) as reached,
  array(select subject from page where seen_day >= $4 and linked_user is null order by subject) as subjects`;

/** @param sinceDay In days since 1970. */
export async function listActivePeople(
  db: Database,
  { bucket, environment }: { bucket: number; environment: string },
  after: string,
  sinceDay: number,
): Promise<ActivePage> {
  const values = [bucket, environment, after, sinceDay];
  const statement = { name: 'list-active-people', text: pageStatement, values };
  return (await query<ActivePage>(db, statement, { reached: 'text?', subjects: 'text[]' }))[0];
}
