/**
 * Following a table without losing a row.
 *
 * Transactions commit in another order than they began, so "everything after the last one seen" loses rows. Each row carries
 * the transaction that wrote it last (`changed_xid`). A follower remembers the horizon of its previous read, the oldest
 * transaction that was then still open, and reads everything visible from there on again: some rows twice, none never, and none
 * later because of somebody's long transaction. Rows carry a counter of their own, by which a repetition is recognised.
 */
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A transaction id, 64 bit, as decimal text. */
export type Xid = string;

/** Before all changes. */
export const firstXid: Xid = '0';

export type Changes<Row> = {
  rows: Row[];
  /** Where the next read begins. */
  horizonXid: Xid;
};

/** In the same statement as the rows, so that both see the same moment. */
export const horizonExpression = sql<Xid>`pg_snapshot_xmin(pg_current_snapshot())`;

/** The horizon of this moment. A replica that is filled page by page asks for it before the first page and follows from it. */
export async function findHorizon(db: Database): Promise<Xid> {
  const { rows } = await sql<{ xid: Xid }>`select ${horizonExpression} as xid`.execute(db.kysely);
  return rows[0].xid;
}
