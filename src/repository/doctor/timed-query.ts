/**
 * Runs the queries of the integration check on an environment's events and items.
 *
 * Each query is a read-only transaction without parallel workers, with limited memory and time, so
 * that serving is not affected. A query that times out returns undefined.
 */
import { type RawBuilder, sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import { type Database, queryReadOnly } from '../database.ts';
import type { FeedRange } from '../feeds.ts';

/** Memory for each sort or hash of a statement; larger ones use the disk. */
const workMemory = '32MB';

export const mostExamples = 5;

/** Events to check: of one environment, in these feed ranges, that arrived since a time. */
export type EventWindow = {
  environment: string;
  since: Date;
  ranges: readonly FeedRange[];
  timeoutMs: number;
};

export async function runTimedQuery<Row>(
  db: Database,
  timeoutMs: number,
  query: RawBuilder<unknown>,
): Promise<Row[] | undefined> {
  const settings = {
    statement_timeout: String(Math.ceil(timeoutMs)),
    work_mem: workMemory,
    jit: 'off',
    max_parallel_workers_per_gather: '0',
  };
  try {
    return await queryReadOnly<Row>(db, settings, query);
  } catch (error) {
    if (isCancelled(error)) return undefined;
    throw error;
  }
}

function isCancelled(error: unknown): boolean {
  return error instanceof DomainError && (error.cause as { code?: string } | undefined)?.code === '57014';
}

export function inWindow({ environment, since, ranges }: EventWindow) {
  const stretches = ranges.map(
    (range) => sql`(bucket = ${range.bucket} and lane = ${range.lane}
      and number > ${range.since} and number <= ${range.until})`,
  );
  const isInside = stretches.length === 0 ? sql`false` : sql`(${sql.join(stretches, sql` or `)})`;
  return sql`environment = ${environment} and received_at >= ${since} and ${isInside}`;
}

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
