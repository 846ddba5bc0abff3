/** Answered lists, kept for a while and read page by page on any node. */
import { sql } from 'kysely';
import { type Database, query } from '../database.ts';

export type ListKey = { environment: string; listKey: string };

export type ListRow = ListKey & {
  expiresAt: Date;
  /** What the serving room wrote; this room does not read it. */
  payload: string;
};

/**
 * Commits without waiting for the disk: every node sees the rows at once, and a crash of the database server loses those of its
 * last half second, which is to the caller as if they had expired. The setting ends with the statement's transaction.
 */
const relaxed = `relaxed as materialized (select set_config('synchronous_commit', 'off', true))`;

const insertStatement = `
with ${relaxed}
insert into lists (environment, list_key, expires_at, payload)
select environment, list_key, expires_at, payload
from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) as input(environment, list_key, expires_at, payload)
cross join relaxed
on conflict (environment, list_key) do update set expires_at = excluded.expires_at, payload = excluded.payload`;

/** Stores lists for many requests at once; one of a known key replaces it, and the last of equal keys counts. */
export async function insertLists(db: Database, rows: ListRow[]): Promise<void> {
  const distinct = [...new Map(rows.map((row) => [keyOf(row), row])).values()].sort(compareKeys);
  if (distinct.length === 0) return;
  const values = [
    distinct.map((row) => row.environment),
    distinct.map((row) => row.listKey),
    distinct.map((row) => row.expiresAt),
    distinct.map((row) => row.payload),
  ];
  await query(db, { name: 'insert-lists', text: insertStatement, values });
}

const findStatement = `
select found.environment, found.list_key as "listKey", found.expires_at as "expiresAt", found.payload
from unnest($1::text[], $2::text[]) with ordinality as wanted(environment, list_key, ordinal)
left join lateral (
  select * from lists
  where environment = wanted.environment and list_key = wanted.list_key and expires_at > now() limit 1
) as found on true
order by wanted.ordinal`;

/** One answer per key, in order; an expired list is as absent as an unknown one. */
export async function findLists(db: Database, keys: ListKey[]): Promise<(ListRow | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await query<ListRow>(db, {
    name: 'find-lists',
    text: findStatement,
    values: keyColumns(keys),
  });
  return rows.map((row) => (row.listKey === null ? undefined : row));
}

const renewStatement = `
with ${relaxed}
update lists set expires_at = $3 from relaxed
where (environment, list_key) in (
  select lists.environment, lists.list_key
  from unnest($1::text[], $2::text[]) as wanted(environment, list_key) join lists using (environment, list_key)
  where lists.expires_at between now() and $3
  order by 1, 2 for update of lists
)`;

/** Prolongs living lists; it never shortens one. */
export async function renewLists(db: Database, keys: ListKey[], expiresAt: Date): Promise<void> {
  if (keys.length === 0) return;
  await query(db, { name: 'renew-lists', text: renewStatement, values: [...keyColumns(keys), expiresAt] });
}

/** Deletes at most `limit` expired lists and returns how many; several nodes may do so at once. */
export async function deleteExpiredLists(db: Database, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from lists where (environment, list_key) in (
      select environment, list_key from lists where expires_at <= now() order by expires_at
      limit ${limit} for update skip locked
    )`.execute(db.kysely);
  return Number(numAffectedRows);
}

function keyColumns(keys: ListKey[]): string[][] {
  return [keys.map((key) => key.environment), keys.map((key) => key.listKey)];
}

function keyOf(key: ListKey): string {
  return JSON.stringify([key.environment, key.listKey]);
}

/** Every node locks rows in the same order. */
function compareKeys(a: ListKey, b: ListKey): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
