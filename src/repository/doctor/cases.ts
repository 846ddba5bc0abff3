/** Runs checks that report cases, the most frequent first. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import { mostExamples, runTimedQuery } from './timed-query.ts';

/** A case, its number of occurrences, and the total of all cases. */
export type Case = { text: string; count: number; total: number };

/** @param cases Select with the columns `text` and `count`. */
export function listCases(
  db: Database,
  timeoutMs: number,
  cases: RawBuilder<unknown>,
): Promise<Case[] | undefined> {
  const query = sql`
    select text, count, (sum(count) over ())::int8 as total from (${cases}) as cases
    order by count desc, text limit ${mostExamples}`;
  return runTimedQuery<Case>(db, timeoutMs, query);
}
