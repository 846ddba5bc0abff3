/** Reads items by their keys, and writes them only while their revision is the expected one. */

import type { DomainError } from '../../errors.ts';
import { forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { columnsOf } from '../encode-values.ts';
import { writeConflict } from '../failures.ts';
import { findItem, type ItemKey, type ItemRow, inOrder, itemColumns, keyValues } from './items.ts';

type ExpectedKey = ItemKey & {
  /** Revision that must be current; 0: the item must not exist, -1: it must exist. */
  expectedRevision: number;
};

type ExpectedWrite = ExpectedKey & {
  /** A JSON object in the shape of the public interface. Absent: the document stays; not for new items. */
  document?: unknown;
  /** Absent: a known item keeps its status, a new one is enabled. */
  enabled?: boolean;
};

const findStatement = `
select ${itemColumns} from items join unnest($2::text[], $3::text[], $4::text[])
    as wanted(wanted_environment, wanted_type, wanted_id)
  on environment = wanted_environment and item_type = wanted_type and item_id = wanted_id
where bucket = $1`;

/** Returns items in the order of the keys, undefined for unknown ones. */
export async function findItemsByKey(
  db: Database,
  keys: readonly ItemKey[],
): Promise<(ItemRow | undefined)[]> {
  return forEachBucket(db, keys, keyValues, async (bucket, ofBucket) => {
    const values = [bucket, ...columnsOf(ofBucket, 'environment', 'itemType', 'itemId')];
    const rows = await query<ItemRow>(db, 'find-items-by-key', findStatement, values);
    return inOrder(ofBucket, rows);
  });
}

/** Returns the known items of an environment in the order of the keys. */
export async function findItems(
  db: Database,
  environment: string,
  keys: readonly Omit<ItemKey, 'environment'>[],
): Promise<ItemRow[]> {
  const found = await findItemsByKey(
    db,
    keys.map((key) => ({ environment, ...key })),
  );
  return found.filter((row) => row !== undefined);
}

const replaceStatement = `select ${itemColumns} from replace_items($1, $2, $3, $4, $5, $6, $7)`;

/** Writes items that have the expected revision; returns undefined for the others. Keys must differ. */
export async function replaceItems(
  db: Database,
  writes: readonly ExpectedWrite[],
): Promise<(ItemRow | undefined)[]> {
  return forEachBucket(db, writes, keyValues, async (bucket, ofBucket) => {
    const values = [
      bucket,
      ...columnsOf(ofBucket, 'environment', 'itemType', 'itemId'),
      ofBucket.map(({ document }) => (document === undefined ? null : JSON.stringify(document))),
      ...columnsOf(ofBucket, 'enabled', 'expectedRevision'),
    ];
    const rows = await query<ItemRow>(db, 'replace-items', replaceStatement, values);
    return inOrder(ofBucket, rows);
  });
}

/** @throws DomainError VERSION_CONFLICT when another revision than the expected one is current. */
export async function replaceItem(db: Database, write: ExpectedWrite): Promise<ItemRow> {
  const [row] = await replaceItems(db, [write]);
  if (row) return row;
  throw revisionConflict(write, (await findItem(db, write))?.revision ?? 0);
}

/** Writes the document, the status or neither; undefined for an unknown item. */
export async function writeExpectedItem(db: Database, write: ExpectedWrite): Promise<ItemRow | undefined> {
  const row = await findItem(db, write);
  if (!row) return undefined;
  if (write.expectedRevision === 0) throw revisionConflict(write, row.revision);
  return replaceItem(db, write);
}

export function revisionConflict(
  { environment, itemType, itemId, expectedRevision: expected }: ExpectedKey,
  current: number,
): DomainError {
  const metadata = { environment, item_type: itemType, item_id: itemId };
  return writeConflict(`Item ${JSON.stringify(itemId)} is`, 'revision', { current, expected }, metadata);
}
