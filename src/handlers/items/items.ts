import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { type AuditAction, insertAuditEntry } from '../../repository/audit/audit-entries.ts';
import { findItem } from '../../repository/items/items.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { applyChanges } from './item-changes.ts';
import { itemMessageOf } from './item-documents.ts';
import type { ItemIdentity } from './item-specification.ts';
import { exportItems, importItems } from './item-streams.ts';
import { createItemWrites, findItemType, type ItemWritesOptions, refuseUnknown } from './item-writes.ts';
import { isPurged } from './purged-items.ts';

export function createItemHandlers(options: ItemWritesOptions) {
  const { db, deployment } = options;
  const writes = createItemWrites(options);

  const setStatus = async (request: StatusRequest, action: AuditAction, call: Call): Promise<void> => {
    const identity = identityOf(request);
    const enabled = action === 'items.enable';
    const isPurge = action === 'items.purge';
    if (isPurge) await writes.purge(identity, request.expectedRevision);
    else await writes.setEnabled(identity, enabled, request.expectedRevision);
    /** A separate statement, since the item is in its bucket and the audit log is not. */
    const { environment, itemType, itemId } = identity;
    const resource = `items/${itemType}/${itemId}`;
    const after = isPurge ? undefined : { enabled };
    await insertAuditEntry(db, { ...actorOf(call), action, resource, environment, after });
  };

  return implement(ItemService, {
    async putItem({ item, expectedRevision, ...request }) {
      const identity = identityOf(request);
      const { revision } = item
        ? await writes.put(identity, item, expectedRevision)
        : await writes.touch(identity, expectedRevision);
      return { revision };
    },
    async createItem(request) {
      const item = request.item!;
      findItemType(deployment, request);
      if (!item.itemId) refuse([{ pointer: '/item_id', detail: 'Is required.' }]);
      const { revision } = await writes.put(identityOf({ ...request, itemId: item.itemId! }), item);
      return { revision };
    },
    async updateItem({ item, updateMask: mask, expectedRevision, ...request }, call) {
      call.holdsOneElement = true;
      const row = await writes.patch(identityOf(request), item!, { mask, expectedRevision });
      return { item: itemMessageOf(row) };
    },
    async deleteItem(request, call) {
      await setStatus(request, request.purge ? 'items.purge' : 'items.delete', call);
      return {};
    },
    async enableItem(request, call) {
      await setStatus(request, 'items.enable', call);
      return {};
    },
    async disableItem(request, call) {
      await setStatus(request, 'items.disable', call);
      return {};
    },
    async getItem(request, call) {
      call.holdsOneElement = true;
      const row = await findItem(db, identityOf(request));
      const item = itemMessageOf(
        row && !isPurged(row) ? row : refuseUnknown(deployment, identityOf(request)),
      );
      return { item };
    },
    applyItemChanges: ({ environment, batch }) => applyChanges(options, environment, batch!.changes),
    importItems: (requests) => importItems(options, requests),
    exportItems: (requests) => exportItems(db, requests),
  });
}

type ItemRequest = { environment: string; itemType: string; itemId: string };

type StatusRequest = ItemRequest & { expectedRevision?: number };

function identityOf(request: ItemRequest): ItemIdentity {
  const { environment, itemType, itemId } = request;
  return { environment, itemType, itemId };
}
