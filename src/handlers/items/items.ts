/** The item operations: what is in the way of storing an item is found here, the rest is the repository's. */

import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import {
  CreateItemResponseSchema,
  DeleteItemResponseSchema,
  DisableItemResponseSchema,
  EnableItemResponseSchema,
  GetItemResponseSchema,
  ItemService,
  PutItemResponseSchema,
} from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { ItemReplica } from '../../catalog/item-replica.ts';
import type { ItemIdentity } from '../../catalog/item-specification.ts';
import type { Deployment, ItemTypeSettings } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import { insertAuditEntry } from '../../repository/audit/audit-entries.ts';
import type { Database } from '../../repository/database.ts';
import { replaceItem, touchExpectedItem } from '../../repository/items/expected-items.ts';
import {
  findItem,
  type ItemRow,
  type ItemWrite,
  setItemEnabled,
  touchItem,
} from '../../repository/items/items.ts';
import { decodeJson } from '../../rest/codec.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { documentOf } from '../messages/documents.ts';
import { checkDocument, writeOf } from './item-documents.ts';
import { exportItems, importItems } from './item-streams.ts';

export type ItemHandlersOptions = {
  db: Database;
  deployment: Deployment;
  replica: ItemReplica;
  /** Upserts in groups; concurrent writes share a transaction. */
  upsert: (item: ItemWrite) => Promise<ItemRow>;
};

export function createItemHandlers(options: ItemHandlersOptions) {
  const { db, deployment, replica, upsert } = options;

  /** Whatever is there is replaced together with other writes; what has to be as expected, by a statement of its own. */
  const store = async (identity: ItemIdentity, item: Item, expectedRevision?: number): Promise<ItemRow> => {
    const itemType = findItemType(deployment, identity);
    const document = documentOf(ItemSchema, item);
    refuse(checkDocument(identity, document, item, itemType));
    const write = writeOf(identity, document);
    return applied(
      await (expectedRevision === undefined
        ? upsert(write)
        : replaceItem(db, { ...write, expectedRevision })),
    );
  };
  const touch = async (identity: ItemIdentity, expectedRevision?: number): Promise<ItemRow> => {
    findItemType(deployment, identity);
    const row = await (expectedRevision === undefined
      ? touchItem(db, identity)
      : touchExpectedItem(db, { ...identity, expectedRevision }));
    if (!row) throw unknownItem(identity);
    return applied(row);
  };
  const applied = (row: ItemRow): ItemRow => {
    replica.apply(row);
    return row;
  };
  const setEnabled = async (request: ItemRequest, action: string, call: Call): Promise<void> => {
    const identity = identityOf(request);
    const enabled = action === 'items.enable';
    const row = await setItemEnabled(db, identity, enabled);
    if (!row) throw unknownItem(identity);
    applied(row);
    /** A statement of its own, since the item lies in its bucket and the record does not. */
    const { environment, itemType, itemId } = identity;
    const resource = `items/${itemType}/${itemId}`;
    await insertAuditEntry(db, { ...actorOf(call), action, resource, environment, after: { enabled } });
  };

  return implement(ItemService, {
    async putItem(request) {
      const identity = identityOf(request);
      const { item, expectedRevision } = request;
      const { revision } = item
        ? await store(identity, item, expectedRevision)
        : await touch(identity, expectedRevision);
      return create(PutItemResponseSchema, { revision });
    },
    async createItem(request) {
      const item = request.item!;
      findItemType(deployment, identityOf({ ...request, itemId: item.itemId ?? '' }));
      if (!item.itemId) refuse([{ pointer: '/item_id', detail: 'Is required.' }]);
      const { revision } = await store(identityOf({ ...request, itemId: item.itemId! }), item);
      return create(CreateItemResponseSchema, { revision });
    },
    async deleteItem(request, call) {
      await setEnabled(request, 'items.delete', call);
      return create(DeleteItemResponseSchema);
    },
    async enableItem(request, call) {
      await setEnabled(request, 'items.enable', call);
      return create(EnableItemResponseSchema);
    },
    async disableItem(request, call) {
      await setEnabled(request, 'items.disable', call);
      return create(DisableItemResponseSchema);
    },
    async getItem(request) {
      const row = await findItem(db, identityOf(request));
      if (!row) throw unknownItem(identityOf(request));
      return create(GetItemResponseSchema, { item: messageOf(row) });
    },
    importItems: (requests) => importItems(options, requests),
    exportItems: (requests) => exportItems(db, requests),
  });
}

type ItemRequest = { environment: string; itemType: string; itemId: string };

function identityOf(request: ItemRequest): ItemIdentity {
  const { environment, itemType, itemId } = request;
  return { environment, itemType, itemId };
}

/** The environment is known: the operation chain has seen to it. */
function findItemType(deployment: Deployment, { environment, itemType }: ItemIdentity): ItemTypeSettings {
  const settings = deployment.environments.get(environment)!.itemTypes.get(itemType);
  if (settings) return settings;
  throw new DomainError(
    'ITEM_TYPE_UNKNOWN',
    `Environment ${JSON.stringify(environment)} has no item type ${JSON.stringify(itemType)}.`,
    { metadata: { environment, item_type: itemType } },
  );
}

function unknownItem({ environment, itemType, itemId }: ItemIdentity): DomainError {
  return new DomainError(
    'ITEM_UNKNOWN',
    `Environment ${JSON.stringify(environment)} holds no ${JSON.stringify(itemType)} with id ${JSON.stringify(itemId)}.`,
    { metadata: { environment, item_type: itemType, item_id: itemId } },
  );
}

function messageOf(row: ItemRow): Item {
  const { message } = decodeJson(ItemSchema, row.document);
  message.enabled = row.enabled;
  message.revision = row.revision;
  message.createTime = timestampFromDate(row.createdAt);
  message.updateTime = timestampFromDate(row.updatedAt);
  return message;
}
