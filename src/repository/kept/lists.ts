/** The list store: computed lists that any node reads page by page until they expire. */
import { sql } from 'kysely';
import { bucketOf, findBucket, forEachBucket } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';
import { columnsOf, encodeValues } from '../encode-values.ts';

export type ListKey = { environment: string; listKey: string };

export type ListRow = ListKey & {
  expiresAt: Date;
  /** Opaque here. */
  payload: string;
};

const keyParts = ({ environment, listKey }: ListKey): [string, string] => [environment, listKey];

export const bucketOfList = (bucketCount: number, key: ListKey): number =>
  bucketOf(bucketCount, ...keyParts(key));

/**
 * Stores lists of many requests at once. A list replaces that of the same key; the last of equal
 * keys counts.
 */
export async function insertLists(db: Database, rows: ListRow[]): Promise<void> {
  const distinct = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
  await forEachBucket(db, distinct, keyParts, (bucket, ofBucket) => {
    const values = [bucket, encodeValues(ofBucket.map(toColumns), listColumns)];
    return execute(db, 'insert-lists', 'select insert_lists($1, $2)', values);
  });
}

const listColumns = ['environment', 'listKey', 'expiresAt', 'payload'] as const;

function toColumns({ expiresAt, ...row }: ListRow) {
  return { ...row, expiresAt: expiresAt.toISOString() };
}

const findStatement = `
select environment, list_key as "listKey", expires_at as "expiresAt", payload from find_lists($1, $2, $3)`;

/** Returns lists in the order of the keys, undefined for unknown and expired ones. */
export async function findLists(db: Database, keys: ListKey[]): Promise<(ListRow | undefined)[]> {
  return forEachBucket(db, keys, keyParts, async (bucket, ofBucket) => {
    const values = [bucket, ...columnsOf(ofBucket, 'environment', 'listKey')];
    const rows = await query<ListRow>(db, 'find-lists', findStatement, values);
    const byKey = new Map(rows.map((row) => [keyOf(row), row]));
    return ofBucket.map((key) => byKey.get(keyOf(key)));
  });
}

/** Extends the time of lists that have not expired; never shortens it. */
export async function renewLists(db: Database, keys: ListKey[], expiresAt: Date): Promise<void> {
  await forEachBucket(db, keys, keyParts, (bucket, ofBucket) => {
    const values = [bucket, ...columnsOf(ofBucket, 'environment', 'listKey'), expiresAt];
    return execute(db, 'renew-lists', 'select renew_lists($1, $2, $3, $4)', values);
  });
}

/** Replaces the payload of a list unless it has changed. Returns whether it was replaced. */
export async function replaceList(db: Database, found: ListRow, payload: string): Promise<boolean> {
  const bucket = await findBucket(db, ...keyParts(found));
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

/** Deletes at most `limit` expired lists of a bucket and returns their number. Several nodes may call it at once. */
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

const keyOf = (key: ListKey): string => JSON.stringify(keyParts(key));
