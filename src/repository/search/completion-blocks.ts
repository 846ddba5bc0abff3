/** Blocks of identifiers that no other node, and no other start of this one, gets. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** The number of a transaction of its own: every call, on whatever node, gets another and a greater one. */
export async function claimBlock(db: Database): Promise<bigint> {
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(db.kysely);
  return BigInt(rows[0].xid);
}
