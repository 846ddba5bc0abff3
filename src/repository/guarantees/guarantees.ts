/** Progress of guarantees, a document for each environment. */

import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Position } from '../feeds.ts';

export type GuaranteeState = {
  configurationId: string;
  guaranteeId: string;
  /** Milliseconds since 1970: when it began today. */
  startedMs: number;
  status: 'inactive' | 'on_track' | 'met' | 'at_risk';
  /** Impressions: to reach today, due and counted until now, and of all items of the configuration. */
  target: number;
  due: number;
  delivered: number;
  total: number;
  /** Clicks until now on matching items and on all items of the configuration. */
  clicks: number;
  totalClicks: number;
  /** Share of the lists with the minimum, 0 to 1. */
  pace: number;
};

/** By item type, U+001F and item id: impressions today, and the most in a turn of counting. */
export type StockCounts = Record<string, [count: number, peak: number]>;

/** Times in milliseconds since 1970; `items` of those with a stock budget, counted until `countedMs`. */
export type GuaranteeProgress = {
  dayStartMs: number;
  states: GuaranteeState[];
  items?: StockCounts;
  countedMs?: number;
};

export type ClaimedProgress = { revision: number } & (
  | { position: Position; progress: GuaranteeProgress }
  | { position: null; progress: null }
);

/** Takes the progress of an environment, unless a node took it within the lease. */
export function claimGuarantees(
  { kysely }: Database,
  environment: string,
  { nowMs, leaseMs }: { nowMs: number; leaseMs: number },
): Promise<ClaimedProgress | undefined> {
  return kysely
    .insertInto('guarantee_progress')
    .values({ environment, claimed_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .column('environment')
        .doUpdateSet({ claimed_at: nowMs })
        .where('guarantee_progress.claimed_at', '<=', nowMs - leaseMs),
    )
    .returning(['revision', 'position', 'progress'])
    .$narrowType<ClaimedProgress>()
    .executeTakeFirst();
}

/** Stores the progress, unless another node has stored some since; then false. */
export async function saveGuarantees(
  { kysely }: Database,
  environment: string,
  { revision, position, progress }: { revision: number; position: Position; progress: GuaranteeProgress },
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('guarantee_progress')
    .set({
      revision: revision + 1,
      position: sql`${JSON.stringify(position)}::json`,
      progress: sql`${JSON.stringify(progress)}::json`,
    })
    .where('environment', '=', environment)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function findProgress(
  { kysely }: Database,
  environment: string,
): Promise<GuaranteeProgress | undefined> {
  const found = kysely.selectFrom('guarantee_progress').select('progress');
  const row = await found.where('environment', '=', environment).executeTakeFirst();
  return (row?.progress as GuaranteeProgress | null | undefined) ?? undefined;
}

export const listGuarantees = async (db: Database, environment: string): Promise<GuaranteeState[]> =>
  (await findProgress(db, environment))?.states ?? [];
