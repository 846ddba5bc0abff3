import { sql } from 'kysely';
import { clickSuffix } from '../../events/meaning.ts';
import type { Database } from '../database.ts';
import { type EventWindow, inWindow, mostExamples, runTimedQuery } from './timed-query.ts';

/**
 * Request ids of impressions and clicks, by whether this service issued them: see
 * ranking/lists/answer-id.ts. Includes only events of user groups that receive its lists.
 */
export type NamedAnswers = { cases: { text: string }[]; given: number; foreign: number };

export async function findNamedAnswers(
  db: Database,
  window: EventWindow,
  userGroups: readonly string[],
): Promise<NamedAnswers | undefined> {
  const rows = await runTimedQuery<{ text: string; isGiven: boolean; total: number }>(
    db,
    window.timeoutMs,
    sql`with named as (
        select distinct request_id from events
        where ${inWindow(window)} and not robot and event_type in ('impression', ${clickSuffix})
          and user_group = any(${userGroups}::text[]) and request_id is not null
      ),
      judged as (
        select request_id as text,
          right(request_id, 8) = left(encode(sha256(convert_to(left(request_id, 28), 'UTF8')), 'hex'), 8) as "isGiven"
        from named
      ),
      counted as (
        select *, count(*) over (partition by "isGiven") as total,
          row_number() over (partition by "isGiven" order by text) as place
        from judged
      )
      select text, "isGiven", total from counted where place <= ${mostExamples} order by "isGiven", place`,
  );
  if (rows === undefined) return undefined;
  const totalOf = (isGiven: boolean) => rows.find((row) => row.isGiven === isGiven)?.total ?? 0;
  return { cases: rows.filter(({ isGiven }) => !isGiven), given: totalOf(true), foreign: totalOf(false) };
}
