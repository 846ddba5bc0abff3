/** Answered lists, kept for a while and read page by page on any node. */
import { sql } from 'kysely';
import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { encodeValues } from '../encode-values.ts';
import type { Shape } from '../row-shape.ts';

export type ListKey = { environment: string; listKey: string };

export type ListRow = ListKey & {
  expiresAt: Date;
  /** What the serving room wrote; this room does not read it. */
  payload: string;
};

const listShape: Shape<ListRow> = {
  environment: 'text',
  listKey: 'text',
  expiresAt: 'timestamptz',
  payload: 'text',
};

export function bucketOfList(bucketCount: number, { environment, listKey }: ListKey): number {
  return bucketOf(bucketCount, environment, listKey);
}

async function bucketsOfLists(db: Database): Promise<(key: ListKey) => number> {
  const bucketCount = await bucketCountOf(db);
  return (key) => bucketOfList(bucketCount, key);
}

/**
 * Stores lists for many requests at once; one of a known key replaces it, and the last of equal keys counts.
 * @param onSent Called when all have left this process.
 */
export async function insertLists(db: Database, rows: ListRow[], onSent?: () => void): Promise<void> {
  const distinct = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
  const bucketOfRow = await bucketsOfLists(db);
  let unsentCount = new Set(distinct.map(bucketOfRow)).size;
  const noteSent = () => {
    unsentCount -= 1;
    if (unsentCount === 0) onSent?.();
  };
  await forEachBucket(distinct, bucketOfRow, async (bucket, ofBucket) => {
    const values = [bucket, encodeValues(ofBucket.map(toColumns), listColumns)];
    const text = 'select insert_lists($1, $2)';
    await execute(db, { name: 'insert-lists', text, values }, noteSent);
    return [];
  });
}

const listColumns = ['environment', 'listKey', 'expiresAt', 'payload'] as const;

function toColumns({ expiresAt, ...row }: ListRow) {
  return { ...row, expiresAt: expiresAt.toISOString() };
}

const findStatement = `
select environment, list_key as "listKey", expires_at as "expiresAt", payload from find_lists($1, $2, $3)`;

/** One answer per key, in order; an expired list is as absent as an unknown one. */
export async function findLists(db: Database, keys: ListKey[]): Promise<(ListRow | undefined)[]> {
  return forEachBucket(keys, await bucketsOfLists(db), async (bucket, ofBucket) => {
    const values = [bucket, ...keyColumns(ofBucket)];
    const rows = await query(db, { name: 'find-lists', text: findStatement, values }, listShape);
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    return ofBucket.map((key) => byKey.get(keyOf(key)));
  });
}

/** Prolongs living lists; it never shortens one. */
export async function renewLists(db: Database, keys: ListKey[], expiresAt: Date): Promise<void> {
  await forEachBucket(keys, await bucketsOfLists(db), async (bucket, ofBucket) => {
    const values = [bucket, ...keyColumns(ofBucket), expiresAt];
    await execute(db, { name: 'renew-lists', text: 'select renew_lists($1, $2, $3, $4)', values });
    return [];
  });
}

/** Replaces what a list holds unless somebody else did; says whether it has. */
export async function replaceList(db: Database, found: ListRow, payload: string): Promise<boolean> {
  const bucket = (await bucketsOfLists(db))(found);
  const { numUpdatedRows } = await db.kysely
    .updateTable('lists')
    .set({ payload })
    .where('bucket', '=', bucket)
    .where('environment', '=', found.environment)
    .where('list_key', '=', found.listKey)
    .where('payload', '=', found.payload)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes at most `limit` expired lists of a bucket and returns how many; several nodes may do so at once. */
export async function deleteExpiredLists(db: Database, bucket: number, limit: number): Promise<number> {
  const expired = db.kysely
    .selectFrom('lists')
    .select(['environment', 'list_key'])
    .where('bucket', '=', bucket)
    .where('expires_at', '<=', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const { numDeletedRows } = await db.kysely
    .deleteFrom('lists')
    .where('bucket', '=', bucket)
    .where(({ eb, refTuple }) =>
      eb(refTuple('environment', 'list_key'), 'in', expired.$asTuple('environment', 'list_key')),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function keyColumns(keys: ListKey[]): string[][] {
  return [keys.map((key) => key.environment), keys.map((key) => key.listKey)];
}

function keyOf({ environment, listKey }: ListKey): string {
  return JSON.stringify([environment, listKey]);
}
