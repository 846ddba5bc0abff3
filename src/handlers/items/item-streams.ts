/** Bulk import and export of items over gRPC streams: one response for each batch. */

import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import type {
  ExportItemsRequest,
  ImportedItem,
  ImportItemsRequest,
  Refusal,
} from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { Deployment, EnvironmentSettings, ItemTypeSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import type { Database } from '../../repository/database.ts';
import { type ItemUpdated, updateItems } from '../../repository/items/item-updates.ts';
import { type ItemRow, type ItemWrite, streamItems, upsertItems } from '../../repository/items/items.ts';
import { documentOf } from '../messages/documents.ts';
import { readRecord, refusal } from '../messages/import-records.ts';
import { inParts } from '../messages/message-parts.ts';
import { checkDocument, writeOf } from './item-documents.ts';
import { changeBy, patchOf } from './item-patches.ts';
import type { ItemIdentity } from './item-specification.ts';
import { overtaken, type Refused, writeNewer } from './newer-items.ts';
import { isPurged } from './purged-items.ts';
import type { ItemReplica } from './replica/item-replica.ts';

export type ItemImportOptions = { db: Database; deployment: Deployment; replica: ItemReplica };

/** Records processed before other work runs: 2 to 5 ms. */
const recordsPerTurn = 25;

type Checked = { line: bigint; identity: ItemIdentity; item: Item; enabled?: boolean };

export type StoredBatch = {
  acceptedCount: number;
  /** Accepted items that are new to the catalogue. */
  newCount: number;
  /** Items that are not newer than the stored ones. */
  olderCount: number;
  refused: Refusal[];
};

export type Batch = { environment: string; items: ImportedItem[]; newerBy?: string };

/** Stores the valid items of a batch; after a failure, perhaps some of them. */
export async function storeBatch(
  { db, deployment, replica }: ItemImportOptions,
  { environment, items, newerBy, isTrial = false }: Batch & { isTrial?: boolean },
): Promise<StoredBatch> {
  const settings = deployment.environments.get(environment)!;
  const { checked, refused } = await checkRecords(settings, items);
  const writes: (ItemWrite & { line: bigint })[] = [];
  await inTurns(checked, ({ line, identity, item, enabled }) => {
    const document = documentOf(ItemSchema, item);
    const violations = checkDocument(identity, document, item, itemTypeOf(settings, identity));
    if (violations.length > 0) refused.push({ line, violations });
    else writes.push({ ...writeOf(identity, document), enabled, line });
  });
  const catalog = replica.catalogOf(environment);
  const fresh = writes.filter(({ itemType, itemId }) => catalog.indexOf(itemType, itemId) === undefined);
  const newCount = new Set(fresh.map(({ itemType, itemId }) => `${itemType}/${itemId}`)).size;
  if (newerBy !== undefined) {
    const newer = await writeNewer(db, writes, { newerBy, isTrial });
    await inTurns(newer.rows, replica.apply);
    const { acceptedCount, olderCount } = newer;
    return { acceptedCount, newCount, olderCount, refused: inOrder([...refused, ...newer.refused]) };
  }
  if (!isTrial) await inTurns(await upsertItems(db, writes), replica.apply);
  return { acceptedCount: writes.length, newCount, olderCount: 0, refused: inOrder(refused) };
}

/** Changes the stored items of a batch; after a failure, perhaps some of them. */
export async function changeBatch(
  { db, deployment, replica }: ItemImportOptions,
  { environment, items }: Batch,
): Promise<StoredBatch> {
  const settings = deployment.environments.get(environment)!;
  const { checked, refused } = await checkRecords(settings, items);
  const updates = checked.map(({ identity, item, enabled }) => {
    const itemType = itemTypeOf(settings, identity);
    return { ...identity, change: changeBy({ identity, itemType, patch: patchOf(item), enabled }) };
  });
  const rows: ItemRow[] = [];
  for (const [i, one] of (await updateItems(db, updates)).entries()) {
    if (one.outcome === 'updated') rows.push(one.row);
    else refused.push({ line: checked[i].line, violations: faultsOf(one) });
  }
  await inTurns(rows, replica.apply);
  return { acceptedCount: rows.length, newCount: 0, olderCount: 0, refused: inOrder(refused) };
}

export async function* importItems(options: ItemImportOptions, requests: AsyncIterable<ImportItemsRequest>) {
  for await (const { environment, items, patch, newerBy } of requests) {
    const store = patch ? changeBatch : storeBatch;
    const { acceptedCount, refused, olderCount } = await store(options, { environment, items, newerBy });
    yield { acceptedCount, refused, olderCount };
  }
}

async function checkRecords(settings: EnvironmentSettings, items: readonly ImportedItem[]) {
  const refused: Refused[] = [];
  const checked: Checked[] = [];
  await inTurns(items, (imported) => {
    const check = checkRecord(settings, imported);
    if ('violations' in check) refused.push(check);
    else checked.push(check);
  });
  return { checked, refused };
}

function inOrder(refused: Refused[]): Refusal[] {
  refused.sort((a, b) => Number(a.line - b.line));
  return refused.map(({ line, violations }) => refusal(line, violations));
}

function faultsOf(updated: Exclude<ItemUpdated<Violation[]>, { outcome: 'updated' }>): Violation[] {
  if (updated.outcome === 'refused') return updated.refused;
  const detail = updated.outcome === 'unknown' ? 'Is not stored.' : overtaken;
  return [{ pointer: '/item_id', detail }];
}

function itemTypeOf(settings: EnvironmentSettings, { itemType }: ItemIdentity): ItemTypeSettings {
  return settings.itemTypes.get(itemType)!;
}

/** Lets other calls run in between; a batch of thousands would delay them by half a second. */
async function inTurns<T>(entries: readonly T[], work: (entry: T) => unknown): Promise<void> {
  for (const [i, entry] of entries.entries()) {
    work(entry);
    if (i % recordsPerTurn === recordsPerTurn - 1) await nextTurn();
  }
}

function checkRecord(
  settings: EnvironmentSettings,
  { line, form, enabled }: ImportedItem,
): Checked | Refused {
  const { message: item, violations } = readRecord(
    ItemSchema,
    form.case === 'item' ? { ...form, case: 'message' } : form,
  );
  if (!item) return { line, violations };
  const missing = requireIdentity(item, settings);
  if (missing.length > 0) return { line, violations: missing };
  const identity = { environment: settings.name, itemType: item.itemType!, itemId: item.itemId! };
  return { line, identity, item, enabled };
}

/** Imported items name their identity themselves, since there is no path. */
function requireIdentity({ itemType, itemId }: Item, settings: EnvironmentSettings): Violation[] {
  const violations: Violation[] = [];
  if (!itemId) violations.push({ pointer: '/item_id', detail: 'Is required.' });
  if (!itemType) violations.push({ pointer: '/item_type', detail: 'Is required.' });
  else if (!settings.itemTypes.has(itemType)) {
    violations.push({ pointer: '/item_type', detail: `Environment ${settings.name} has no such item type.` });
  }
  return violations;
}

export async function* exportItems(db: Database, requests: AsyncIterable<ExportItemsRequest>) {
  for await (const { environment, itemTypes } of requests) {
    for await (const rows of streamItems(db, environment)) {
      const isWanted = ({ itemType }: ItemRow) => itemTypes.length === 0 || itemTypes.includes(itemType);
      const wanted = rows.filter((row) => isWanted(row) && !isPurged(row));
      for (const items of inParts(exportedItems(wanted), ({ json }) => json.length)) yield { items };
    }
  }
}

/** Renders items one by one, so that only one text of a page is in memory. */
function* exportedItems(rows: readonly ItemRow[]) {
  for (const { document, enabled } of rows) yield { json: JSON.stringify(document), enabled };
}
