/** Bulk import and export of items over gRPC streams: one request a batch, one transaction a batch. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import {
  type ExportItemsRequest,
  type ExportItemsResponse,
  ExportItemsResponseSchema,
  type ImportedItem,
  type ImportItemsRequest,
  type ImportItemsResponse,
  ImportItemsResponseSchema,
} from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { ItemReplica } from '../../catalog/item-replica.ts';
import type { ItemIdentity } from '../../catalog/item-specification.ts';
import type { Deployment, EnvironmentSettings, ItemTypeSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { type ItemUpdated, updateItems } from '../../repository/items/item-updates.ts';
import { type ItemRow, type ItemWrite, streamItems, upsertItems } from '../../repository/items/items.ts';
import { documentOf } from '../messages/documents.ts';
import { readRecord, refusal } from '../messages/import-records.ts';
import { checkDocument, writeOf } from './item-documents.ts';
import { changeBy, patchOf } from './item-patches.ts';

/** What storing items takes. */
export type ItemImportOptions = { db: Database; deployment: Deployment; replica: ItemReplica };

/** Checked, or made found, between two turns: 2 to 5 ms. */
const recordsPerTurn = 25;

type Refused = { line: bigint; violations: Violation[] };

/** What is to be stored of a record. */
type Checked = { line: bigint; identity: ItemIdentity; item: Item; enabled?: boolean };

export async function* importItems(
  options: ItemImportOptions,
  requests: AsyncIterable<ImportItemsRequest>,
): AsyncIterable<ImportItemsResponse> {
  const { deployment, replica } = options;
  for await (const { environment, items, patch } of requests) {
    const settings = deployment.environments.get(environment)!;
    const refused: Refused[] = [];
    const checked: Checked[] = [];
    await inTurns(items, (imported) => {
      const check = checkRecord(settings, imported);
      if ('violations' in check) refused.push(check);
      else checked.push(check);
    });
    const store = patch ? patchAll : storeAll;
    const rows = await store(options, settings, checked, refused);
    await inTurns(rows, replica.apply);
    refused.sort((a, b) => Number(a.line - b.line));
    yield create(ImportItemsResponseSchema, {
      acceptedCount: items.length - refused.length,
      refused: refused.map(({ line, violations }) => refusal(line, violations)),
    });
  }
}

type Store = (
  options: ItemImportOptions,
  settings: EnvironmentSettings,
  records: readonly Checked[],
  refused: Refused[],
) => Promise<ItemRow[]>;

/** Each record is a whole item. */
const storeAll: Store = async ({ db }, settings, records, refused) => {
  const writes: ItemWrite[] = [];
  await inTurns(records, ({ line, identity, item, enabled }) => {
    const document = documentOf(ItemSchema, item);
    const violations = checkDocument(identity, document, item, itemTypeOf(settings, identity));
    if (violations.length > 0) refused.push({ line, violations });
    else writes.push({ ...writeOf(identity, document), enabled });
  });
  return upsertItems(db, writes);
};

/** Each record is a change of an item that is there. */
const patchAll: Store = async ({ db }, settings, records, refused) => {
  const updates = records.map(({ identity, item, enabled }) => {
    const itemType = itemTypeOf(settings, identity);
    return { ...identity, change: changeBy({ identity, itemType, patch: patchOf(item), enabled }) };
  });
  const updated = await updateItems(db, updates);
  return updated.flatMap((one, i) => {
    if (one.outcome === 'updated') return [one.row];
    refused.push({ line: records[i].line, violations: faultsOf(one) });
    return [];
  });
};

function faultsOf(updated: Exclude<ItemUpdated<Violation[]>, { outcome: 'updated' }>): Violation[] {
  if (updated.outcome === 'refused') return updated.refused;
  const detail = updated.outcome === 'unknown' ? 'Is not stored.' : 'Is changed by others; send it again.';
  return [{ pointer: '/item_id', detail }];
}

function itemTypeOf(settings: EnvironmentSettings, { itemType }: ItemIdentity): ItemTypeSettings {
  return settings.itemTypes.get(itemType)!;
}

/** Other calls get their turn now and then: a batch of thousands would keep them waiting for half a second. */
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

/** No path says what the item is, so the item has to. */
function requireIdentity({ itemType, itemId }: Item, settings: EnvironmentSettings): Violation[] {
  const violations: Violation[] = [];
  if (!itemId) violations.push({ pointer: '/item_id', detail: 'Is required.' });
  if (!itemType) violations.push({ pointer: '/item_type', detail: 'Is required.' });
  else if (!settings.itemTypes.has(itemType)) {
    violations.push({ pointer: '/item_type', detail: `Environment ${settings.name} has no such item type.` });
  }
  return violations;
}

export async function* exportItems(
  db: Database,
  requests: AsyncIterable<ExportItemsRequest>,
): AsyncIterable<ExportItemsResponse> {
  for await (const { environment, itemTypes } of requests) {
    for await (const rows of streamItems(db, environment)) {
      const wanted = rows.filter((row) => itemTypes.length === 0 || itemTypes.includes(row.itemType));
      const items = wanted.map(({ document, enabled }) => ({ json: JSON.stringify(document), enabled }));
      if (items.length > 0) yield create(ExportItemsResponseSchema, { items });
    }
  }
}
