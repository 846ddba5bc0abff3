/** Writes single items. Callers of this node see its writes at once. */

import type { FieldMask } from '@bufbuild/protobuf/wkt';
import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { Deployment, ItemTypeSettings } from '../../deployment/deployment.ts';
import { DomainError, type Violation } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { replaceItem, revisionConflict, writeExpectedItem } from '../../repository/items/expected-items.ts';
import type { ItemUpdate, ItemUpdated } from '../../repository/items/item-updates.ts';
import {
  findItem,
  type ItemRow,
  type ItemWrite,
  setItemEnabled,
  touchItem,
} from '../../repository/items/items.ts';
import { refuse } from '../chain/refuse.ts';
import { documentOf } from '../messages/documents.ts';
import { checkDocument, writeOf } from './item-documents.ts';
import { changeBy, patchOf } from './item-patches.ts';
import type { ItemIdentity } from './item-specification.ts';
import { isPurged, purged } from './purged-items.ts';
import type { ItemReplica } from './replica/item-replica.ts';

export type ItemWritesOptions = {
  db: Database;
  deployment: Deployment;
  replica: ItemReplica;
  /** Upserts an item; concurrent calls share a transaction. */
  upsert: (item: ItemWrite) => Promise<ItemRow>;
  /** Changes an item; concurrent calls share a transaction. See item-updates.ts. */
  update: (update: ItemUpdate<Violation[]>) => Promise<ItemUpdated<Violation[]>>;
};

/** Creates the writes. They throw a DomainError if the item cannot be written. */
export function createItemWrites({ db, deployment, replica, upsert, update }: ItemWritesOptions) {
  const applied = (row: ItemRow): ItemRow => {
    replica.apply(row);
    return row;
  };
  return {
    /** Shares a transaction with other writes, unless a revision is expected. */
    async put(identity: ItemIdentity, item: Item, expectedRevision?: number): Promise<ItemRow> {
      const itemType = findItemType(deployment, identity);
      const document = documentOf(ItemSchema, item);
      refuse(checkDocument(identity, document, item, itemType));
      const write = writeOf(identity, document);
      if (expectedRevision === undefined) return applied(await upsert(write));
      return applied(await replaceItem(db, { ...write, expectedRevision }));
    },
    async touch(identity: ItemIdentity, expectedRevision?: number): Promise<ItemRow> {
      findItemType(deployment, identity);
      const row = await (expectedRevision === undefined
        ? touchItem(db, identity)
        : writeExpectedItem(db, { ...identity, expectedRevision }));
      if (!row) throw unknownItem(identity);
      return applied(row);
    },
    async patch(
      identity: ItemIdentity,
      item: Item,
      { mask, expectedRevision }: PatchOptions,
    ): Promise<ItemRow> {
      const itemType = findItemType(deployment, identity);
      const change = changeBy({ identity, itemType, patch: patchOf(item, mask) });
      const updated = await update({ ...identity, expectedRevision, change });
      return applied(updatedRow(updated, { ...identity, expectedRevision }));
    },
    /** Leaves the row with its revision, which the replicas of all nodes follow. */
    async purge(identity: ItemIdentity, expectedRevision = anyRevision): Promise<void> {
      const write = { ...identity, document: purged, enabled: true, expectedRevision };
      const stored = await findItem(db, identity);
      const row = stored && !isPurged(stored) ? await writeExpectedItem(db, write) : undefined;
      applied(row ?? refuseUnknown(deployment, identity));
    },
    async setEnabled(identity: ItemIdentity, enabled: boolean, expectedRevision?: number): Promise<ItemRow> {
      const row = await (expectedRevision === undefined
        ? setItemEnabled(db, identity, enabled)
        : writeExpectedItem(db, { ...identity, enabled, expectedRevision }));
      return applied(row ?? refuseUnknown(deployment, identity));
    },
  };
}

const anyRevision = -1;

type PatchOptions = { mask?: FieldMask; expectedRevision?: number };

/** @throws unless the item was updated */
function updatedRow(
  updated: ItemUpdated<Violation[]>,
  { expectedRevision = 0, ...identity }: ItemIdentity & { expectedRevision?: number },
): ItemRow {
  switch (updated.outcome) {
    case 'updated':
      return updated.row;
    case 'conflict':
      throw revisionConflict({ ...identity, expectedRevision }, updated.currentRevision);
    case 'overtaken':
      throw new DomainError(
        'UNAVAILABLE',
        'Concurrent changes of this item prevented the update. Try again in a moment.',
      );
    case 'refused':
      refuse(updated.refused);
  }
  throw unknownItem(identity);
}

/** The operation chain has checked the environment. */
export function findItemType(
  deployment: Deployment,
  { environment, itemType }: Omit<ItemIdentity, 'itemId'>,
): ItemTypeSettings {
  const settings = deployment.environments.get(environment)!.itemTypes.get(itemType);
  if (settings) return settings;
  throw new DomainError(
    'ITEM_TYPE_UNKNOWN',
    `Environment ${JSON.stringify(environment)} has no item type ${JSON.stringify(itemType)}.`,
    { metadata: { environment, item_type: itemType } },
  );
}

/** Reports an unknown type first: a stored item may be of a type that is no longer declared. */
export function refuseUnknown(deployment: Deployment, identity: ItemIdentity): never {
  findItemType(deployment, identity);
  throw unknownItem(identity);
}

function unknownItem({ environment, itemType, itemId }: ItemIdentity): DomainError {
  return new DomainError(
    'ITEM_UNKNOWN',
    `Environment ${JSON.stringify(environment)} has no item ${JSON.stringify(itemId)} of type ${JSON.stringify(itemType)}.`,
    { metadata: { environment, item_type: itemType, item_id: itemId } },
  );
}
