/** Blocks of identifiers that no other node, and no other start of this one, gets. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { nextLocalNumbers } from '../local-feeds.ts';

/** Every call, on whatever node, gets another and a greater one. */
export async function claimBlock(db: Database): Promise<bigint> {
  const { rows } = await sql<{ last: string }>`
    with ${nextLocalNumbers('completions', 1)} select last::text as last from taken`.execute(db.kysely);
  return BigInt(rows[0].last);
}
