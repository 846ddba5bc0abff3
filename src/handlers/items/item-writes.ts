/** Writing one item: as a whole, in part, or its status alone. What this node has written its own callers see at once. */

import type { FieldMask } from '@bufbuild/protobuf/wkt';
import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { Deployment, ItemTypeSettings } from '../../deployment/deployment.ts';
import { DomainError, type Violation } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { replaceItem, revisionConflict, writeExpectedItem } from '../../repository/items/expected-items.ts';
import type { ItemUpdate, ItemUpdated } from '../../repository/items/item-updates.ts';
import { type ItemRow, type ItemWrite, setItemEnabled, touchItem } from '../../repository/items/items.ts';
import { refuse } from '../chain/refuse.ts';
import { documentOf } from '../messages/documents.ts';
import { checkDocument, writeOf } from './item-documents.ts';
import { changeBy, patchOf } from './item-patches.ts';
import type { ItemIdentity } from './item-specification.ts';
import type { ItemReplica } from './replica/item-replica.ts';

export type ItemWritesOptions = {
  db: Database;
  deployment: Deployment;
  replica: ItemReplica;
  /** Upserts in groups; concurrent writes share a transaction. */
  upsert: (item: ItemWrite) => Promise<ItemRow>;
  /** The same of changes; see item-updates.ts. */
  update: (update: ItemUpdate<Violation[]>) => Promise<ItemUpdated<Violation[]>>;
};

/** What stands in the way of a write is thrown. */
export function createItemWrites({ db, deployment, replica, upsert, update }: ItemWritesOptions) {
  const applied = (row: ItemRow): ItemRow => {
    replica.apply(row);
    return row;
  };
  return {
    /** Whatever is there is replaced together with other writes; what has to be as expected, by a statement of its own. */
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
    async setEnabled(identity: ItemIdentity, enabled: boolean, expectedRevision?: number): Promise<ItemRow> {
      const row = await (expectedRevision === undefined
        ? setItemEnabled(db, identity, enabled)
        : writeExpectedItem(db, { ...identity, enabled, expectedRevision }));
      return applied(row ?? refuseUnknown(deployment, identity));
    },
  };
}

type PatchOptions = { mask?: FieldMask; expectedRevision?: number };

/** Throws whatever else came of a change. */
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
      throw new DomainError('UNAVAILABLE', 'Others change this item all the time; try again in a moment.');
    case 'refused':
      refuse(updated.refused);
  }
  throw unknownItem(identity);
}

/** The environment is known: the operation chain has seen to it. */
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

/** What is there may be of a type that is declared no more; what is not is then unknown by its type. */
export function refuseUnknown(deployment: Deployment, identity: ItemIdentity): never {
  findItemType(deployment, identity);
  throw unknownItem(identity);
}

function unknownItem({ environment, itemType, itemId }: ItemIdentity): DomainError {
  return new DomainError(
    'ITEM_UNKNOWN',
    `Environment ${JSON.stringify(environment)} holds no ${JSON.stringify(itemType)} with id ${JSON.stringify(itemId)}.`,
    { metadata: { environment, item_type: itemType, item_id: itemId } },
  );
}
