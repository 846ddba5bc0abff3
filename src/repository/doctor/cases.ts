/** Questions whose answer is cases, the most frequent first. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { ask, mostExamples } from './question.ts';

/** One case, how often it stands there, and the same for all cases together. */
export type Case = { text: string; count: number; total: number };

const caseShape: Shape<Case> = { text: 'text', count: 'int8', total: 'int8' };

/** @param cases With columns `text` and `count`. */
export function listCases(
  db: Database,
  timeoutMs: number,
  cases: RawBuilder<unknown>,
): Promise<Case[] | undefined> {
  const question = sql`
    select text, count, (sum(count) over ())::int8 as total from (${cases}) as cases
    order by count desc, text limit ${mostExamples}`;
  return ask(db, timeoutMs, question, caseShape);
}
