/**
 * Moves lines from devices to the histories of their users (sql/hand-over.sql). Device and user lie
 * in different buckets, so the lines wait in `handovers`, numbered by the bucket of the device; the
 * bucket of the user takes each number once, in order, whichever node moves it and however often.
 */

import type { Selectable } from 'kysely';
import { bucketOf } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { encodeValues } from '../encode-values.ts';
import { isOfContent } from '../failures.ts';
import type { Schema } from '../schema.ts';
import { type ConsumingKinds, type HistoryAddition, historyColumns } from './history-batch.ts';

export type HandoverTools = {
  db: Database;
  bucketCount: number;
  consuming: ConsumingKinds;
  /** Called for each user who received lines. */
  onMoved?: (environment: string, userId: string) => void;
};

type Handover = Selectable<Schema['handovers']>;

/** Some 500 bytes each, 50 kB at most. */
const mostAtOnce = 400;

const takeStatement = 'select take_handovers($1, $2, $3, $4, $5, $6, $7, $8)';

/** Moves the lines that wait in a bucket. */
export async function moveHandovers(tools: HandoverTools, bucket: number): Promise<void> {
  const { db, bucketCount } = tools;
  for (;;) {
    const waiting = db.kysely.selectFrom('handovers').selectAll().where('bucket', '=', bucket);
    const rows = await waiting.orderBy('number').limit(mostAtOnce).execute();
    if (rows.length === 0) return;
    const bucketOfUser = ({ environment, user_id }: Handover) =>
      bucketOf(bucketCount, environment, `u:${user_id}`);
    for (const [target, ofTarget] of Map.groupBy(rows, bucketOfUser))
      await takeAll(tools, target, bucket, ofTarget);
    const numbers = rows.map(({ number }) => number);
    const text = 'delete from handovers where bucket = $1 and number = any($2)';
    await execute(db, 'delete-handovers', text, [bucket, numbers]);
    if (rows.length < mostAtOnce) return;
  }
}

/** Leaves out rows whose content the database refuses. */
async function takeAll(
  tools: HandoverTools,
  bucket: number,
  from: number,
  rows: readonly Handover[],
): Promise<void> {
  try {
    await take(tools, bucket, from, rows);
  } catch (error) {
    if (!isOfContent(error)) throw error;
    if (rows.length > 1) for (const row of rows) await takeAll(tools, bucket, from, [row]);
  }
}

async function take(
  { db, consuming, onMoved }: HandoverTools,
  bucket: number,
  from: number,
  rows: readonly Handover[],
): Promise<void> {
  const values = [
    bucket,
    from,
    rows.map(({ number }) => number),
    rows.map(({ environment }) => environment),
    rows.map(({ user_id }) => `u:${user_id}`),
    rows.map((row) => encodeValues([additionOf(row)], historyColumns)),
    rows.map(leftDevice),
    [...consuming],
  ];
  await execute(db, 'take-handovers', takeStatement, values);
  for (const { environment, user_id } of rows) onMoved?.(environment, user_id);
}

function additionOf({ environment, user_id, entries, impressions, consumed }: Handover): HistoryAddition {
  return {
    environment,
    subject: `u:${user_id}`,
    entries: entries || undefined,
    impressions: impressions || undefined,
    consumed: consumed || undefined,
  };
}

/** Null if the device still belongs to the user. */
function leftDevice({ subject, since_at, until_at }: Handover): string | null {
  return until_at === null ? null : JSON.stringify([subject.slice(2), since_at ?? 0, until_at]);
}

/** Moves all lines that wait, such as those of a node that stopped. */
export async function moveAllHandovers(tools: HandoverTools): Promise<void> {
  const text = 'select distinct bucket from handovers';
  const rows = await query<{ bucket: number }>(tools.db, 'list-handover-buckets', text, []);
  for (const { bucket } of rows) await moveHandovers(tools, bucket);
}

export async function hasHandovers(db: Database): Promise<boolean> {
  return (await query<object>(db, 'has-handovers', 'select from handovers limit 1', [])).length > 0;
}
