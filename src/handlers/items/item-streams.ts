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
  type Refusal,
} from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { ItemReplica } from '../../catalog/item-replica.ts';
import type { Deployment, EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { type ItemWrite, streamItems, upsertItems } from '../../repository/items/items.ts';
import { documentOf } from '../messages/documents.ts';
import { readRecord, refusal } from '../messages/import-records.ts';
import { checkDocument, writeOf } from './item-documents.ts';

/** What storing items takes. */
export type ItemImportOptions = { db: Database; deployment: Deployment; replica: ItemReplica };

/** Checked, or made found, between two turns: 2 to 5 ms. */
const recordsPerTurn = 25;

type Check = { write: ItemWrite } | { line: bigint; violations: Violation[] };

export type StoredBatch = {
  acceptedCount: number;
  /** Of those accepted, items that the catalogue did not have. */
  newCount: number;
  refused: Refusal[];
};

/** Stores what is valid of a batch in one transaction. @param isTrial Nothing is stored. */
export async function storeBatch(
  { db, deployment, replica }: ItemImportOptions,
  { environment, items, isTrial = false }: { environment: string; items: ImportedItem[]; isTrial?: boolean },
): Promise<StoredBatch> {
  const settings = deployment.environments.get(environment)!;
  const checks: Check[] = [];
  await inTurns(items, (imported) => checks.push(checkImported(settings, imported)));
  const writes = checks.flatMap((check) => ('write' in check ? [check.write] : []));
  const catalog = replica.catalogOf(environment);
  const fresh = writes.filter(({ itemType, itemId }) => catalog.indexOf(itemType, itemId) === undefined);
  const newCount = new Set(fresh.map(({ itemType, itemId }) => `${itemType}/${itemId}`)).size;
  if (!isTrial) await inTurns(await upsertItems(db, writes), replica.apply);
  const refused = checks.flatMap((check) =>
    'write' in check ? [] : [refusal(check.line, check.violations)],
  );
  return { acceptedCount: writes.length, newCount, refused };
}

export async function* importItems(
  options: ItemImportOptions,
  requests: AsyncIterable<ImportItemsRequest>,
): AsyncIterable<ImportItemsResponse> {
  for await (const { environment, items } of requests) {
    const { acceptedCount, refused } = await storeBatch(options, { environment, items });
    yield create(ImportItemsResponseSchema, { acceptedCount, refused });
  }
}

/** Other calls get their turn now and then: a batch of thousands would keep them waiting for half a second. */
async function inTurns<T>(entries: readonly T[], work: (entry: T) => unknown): Promise<void> {
  for (const [i, entry] of entries.entries()) {
    work(entry);
    if (i % recordsPerTurn === recordsPerTurn - 1) await nextTurn();
  }
}

function checkImported(settings: EnvironmentSettings, { line, form, enabled }: ImportedItem): Check {
  const { message: item, violations } = readRecord(
    ItemSchema,
    form.case === 'item' ? { ...form, case: 'message' } : form,
  );
  if (!item) return { line, violations };
  const missing = requireIdentity(item, settings);
  if (missing.length > 0) return { line, violations: missing };
  const identity = { environment: settings.name, itemType: item.itemType!, itemId: item.itemId! };
  const document = documentOf(ItemSchema, item);
  const faults = checkDocument(identity, document, item, settings.itemTypes.get(identity.itemType)!);
  return faults.length > 0
    ? { line, violations: faults }
    : { write: { ...writeOf(identity, document), enabled } };
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
