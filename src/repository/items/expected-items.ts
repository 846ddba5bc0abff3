/** Reading items by their keys, and writing them only if they are still what was read. */

import { DomainError } from '../../errors.ts';
import { forEachBucket } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import { itemColumns } from '../functions/store-items.ts';
import { bucketsOfItems, findItem, type ItemKey, type ItemRow, itemShape, keyText } from './items.ts';

export type ExpectedKey = ItemKey & {
  /** Revision that must be current; 0 where nothing may be there, -1 where anything must. */
  expectedRevision: number;
};

export type ExpectedWrite = ExpectedKey & {
  /** A JSON object in the shape of the public interface. Absent: what is there stays; not for new items. */
  document?: unknown;
  /** Absent: a known item keeps its status, a new one is enabled. */
  enabled?: boolean;
};

const findStatement = `
select ${itemColumns} from items join unnest($2::text[], $3::text[], $4::text[])
    as wanted(wanted_environment, wanted_type, wanted_id)
  on environment = wanted_environment and item_type = wanted_type and item_id = wanted_id
where bucket = $1`;

/** In the order of the keys; undefined for those that are unknown. */
export async function findItemsByKey(
  db: Database,
  keys: readonly ItemKey[],
): Promise<(ItemRow | undefined)[]> {
  return forEachBucket(keys, await bucketsOfItems(db), async (bucket, ofBucket) => {
    const values = [bucket, ...keyColumns(ofBucket)];
    const rows = await query(db, { name: 'find-items-by-key', text: findStatement, values }, itemShape);
    return inOrder(ofBucket, rows);
  });
}

const replaceStatement = `select ${itemColumns} from replace_items($1, $2, $3, $4, $5, $6, $7)`;

/** Each that is as expected is written; undefined for the others. Keys must differ. */
export async function replaceItems(
  db: Database,
  writes: readonly ExpectedWrite[],
): Promise<(ItemRow | undefined)[]> {
  return forEachBucket(writes, await bucketsOfItems(db), async (bucket, ofBucket) => {
    const values = [
      bucket,
      ...keyColumns(ofBucket),
      ofBucket.map(({ document }) => (document === undefined ? null : JSON.stringify(document))),
      ofBucket.map(({ enabled }) => enabled ?? null),
      ofBucket.map(({ expectedRevision }) => expectedRevision),
    ];
    const rows = await query(db, { name: 'replace-items', text: replaceStatement, values }, itemShape);
    return inOrder(ofBucket, rows);
  });
}

/** @throws DomainError VERSION_CONFLICT when another revision than the expected one is current. */
export async function replaceItem(db: Database, write: ExpectedWrite): Promise<ItemRow> {
  const [row] = await replaceItems(db, [write]);
  if (row) return row;
  throw revisionConflict(write, (await findItem(db, write))?.revision ?? 0);
}

/** Writes a known item, its document or its status or neither, if it is as expected; undefined when it is unknown. */
export async function writeExpectedItem(db: Database, write: ExpectedWrite): Promise<ItemRow | undefined> {
  const row = await findItem(db, write);
  if (!row) return undefined;
  if (write.expectedRevision === 0) throw revisionConflict(write, row.revision);
  return replaceItem(db, write);
}

export function revisionConflict(
  { environment, itemType, itemId, expectedRevision }: ExpectedKey,
  currentRevision: number,
): DomainError {
  const expected = expectedRevision < 0 ? 'stored' : `at revision ${expectedRevision}`;
  const message = `Item ${JSON.stringify(itemId)} is at revision ${currentRevision}, not ${expected}; read it again.`;
  return new DomainError('VERSION_CONFLICT', message, {
    metadata: {
      environment,
      item_type: itemType,
      item_id: itemId,
      expected_revision: String(expectedRevision),
      current_revision: String(currentRevision),
    },
  });
}

function keyColumns(keys: readonly ItemKey[]): string[][] {
  return [
    keys.map(({ environment }) => environment),
    keys.map(({ itemType }) => itemType),
    keys.map(({ itemId }) => itemId),
  ];
}

function inOrder(keys: readonly ItemKey[], rows: readonly ItemRow[]): (ItemRow | undefined)[] {
  const rowsByKey = new Map(rows.map((row) => [keyText(row), row]));
  return keys.map((key) => rowsByKey.get(keyText(key)));
}
