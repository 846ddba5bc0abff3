/** Deletes the histories of users and devices that have been inactive past the retention. */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { forgetPages, type Pace, type Page } from './pace.ts';

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
export async function forgetHistories(
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
