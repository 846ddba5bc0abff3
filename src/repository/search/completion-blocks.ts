/** Blocks of identifiers that no other node, and no other start of this one, gets. */
import { sql } from 'kysely';
import { type Database, queryRaw } from '../database.ts';
import { nextLocalNumbers } from '../feeds.ts';

/** Every call, on whatever node, gets another and a greater one. */
export async function claimBlock(db: Database): Promise<bigint> {
  const statement = sql`
    with ${nextLocalNumbers('completions', 1)} select last::text as last from taken`;
  const [{ last }] = await queryRaw<{ last: string }>(db, statement, { last: 'text' });
  return BigInt(last);
}
