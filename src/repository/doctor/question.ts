/**
 * What the integration doctor asks of an environment's events and items, a question a file.
 *
 * Every question is a transaction of its own that only reads, alone, without helpers, within bounded
 * memory and time, so that serving does not notice. A question that takes too long has no answer:
 * undefined.
 */
import { type RawBuilder, sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import { type Database, queryReadOnly } from '../database.ts';
import type { FeedRange } from '../feeds.ts';
import type { Shape } from '../row-shape.ts';

/** Of each sort or hash of a statement; the rest goes to disk. */
const workMemory = '32MB';

/** Cases returned of each question. */
export const mostExamples = 5;

/** The events looked at: of one environment, in these stretches of the log, arrived since. */
export type EventWindow = {
  environment: string;
  since: Date;
  ranges: readonly FeedRange[];
  timeoutMs: number;
};

export async function ask<Row>(
  db: Database,
  timeoutMs: number,
  question: RawBuilder<unknown>,
  shape: Shape<Row>,
): Promise<Row[] | undefined> {
  const settings = {
    statement_timeout: String(Math.ceil(timeoutMs)),
    work_mem: workMemory,
    jit: 'off',
    max_parallel_workers_per_gather: '0',
  };
  try {
    return await queryReadOnly(db, settings, question, shape);
  } catch (error) {
    if (isCancelled(error)) return undefined;
    throw error;
  }
}

/** Whether the server ended the statement for its time. */
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
