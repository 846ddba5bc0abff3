/** Words and phrases that block queries from completions, by environment. */

import { sql } from 'kysely';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import { writeConflict } from '../failures.ts';
import { nextLocalNumbers } from '../feeds.ts';

export type BlockedQueries = {
  phrases: string[];
  /** Grows with every write. */
  revision: number;
  updatedAt: Date;
};

/** Returns undefined when none were ever saved. */
export function findBlockedQueries(db: Database, environment: string): Promise<BlockedQueries | undefined> {
  return db.kysely
    .selectFrom('blocked_queries')
    .select(['phrases', 'number as revision', 'updated_at as updatedAt'])
    .where('environment', '=', environment)
    .executeTakeFirst();
}

type BlockedQueriesWrite = Actor & {
  environment: string;
  phrases: readonly string[];
  /** Revision that must be current; 0 for no list, -1 for any list. */
  expectedRevision?: number;
};

/** Returns the new revision; throws VERSION_CONFLICT when another than the expected one is current. */
export async function saveBlockedQueries(db: Database, write: BlockedQueriesWrite): Promise<number> {
  const { environment, phrases, expectedRevision = null, clientId, requestId } = write;
  const known = sql`select from blocked_queries where environment = ${environment}`;
  const statement = sql`
    with ${nextLocalNumbers('blocked_queries', 1)},
    saved as (
      insert into blocked_queries as current (environment, phrases, number)
      select ${environment}, ${phrases}::text[], taken.last from taken
      where coalesce(${expectedRevision}::int, 0) = 0 or exists (${known})
      on conflict (environment) do update
        set phrases = excluded.phrases, number = excluded.number, updated_at = now()
        where coalesce(${expectedRevision}::int, -1) = -1 or current.number = ${expectedRevision}::int
      returning environment, number, phrases
    ),
    ${auditPart({
      clientId,
      requestId,
      action: 'blocked_queries.put',
      resource: sql`'blocked_queries'`,
      environment: sql`environment`,
      before: sql`(select json_build_object('phrases', phrases) from blocked_queries as former
        where former.environment = ${environment})`,
      after: sql`json_build_object('phrases', phrases)`,
      from: sql`saved`,
    })}
    select number as revision from saved`;
  const [saved] = await queryRaw<{ revision: number }>(db, statement);
  if (saved) return saved.revision;
  const current = (await findBlockedQueries(db, environment))?.revision ?? 0;
  const expected = write.expectedRevision;
  throw writeConflict('The list of blocked queries is', 'revision', { current, expected }, { environment });
}

/** Lists the blocked phrases of every environment that has some. */
export async function listBlockedPhrases({ kysely }: Database): Promise<Map<string, readonly string[]>> {
  const rows = await kysely.selectFrom('blocked_queries').select(['environment', 'phrases']).execute();
  return new Map(rows.map(({ environment, phrases }) => [environment, phrases]));
}
