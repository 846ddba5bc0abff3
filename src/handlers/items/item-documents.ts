/** Items as JSON documents, as they are stored. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { ItemTypeSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import { decodeJson } from '../../formats/codec.ts';
import type { ItemRow, ItemWrite } from '../../repository/items/items.ts';
import { settlePointer } from '../messages/pointers.ts';
import { checkItem, type ItemIdentity } from './item-specification.ts';

/** Returns the violations of an item, with pointers into its JSON. */
export function checkDocument(
  identity: ItemIdentity,
  document: Record<string, unknown>,
  item: Item,
  itemType: ItemTypeSettings,
): Violation[] {
  const violations = checkItem(identity, document, item.properties ?? {}, itemType);
  return violations.map(({ pointer, detail }) => ({ pointer: settlePointer(document, pointer), detail }));
}

/** Adds the identity, which the caller may have left out. */
export function writeOf(identity: ItemIdentity, document: Record<string, unknown>): ItemWrite {
  const { environment, itemType, itemId } = identity;
  return {
    ...identity,
    document: { ...document, environment, item_type: itemType, item_id: itemId },
  };
}

/** Converts a stored item; its JSON is what was sent. */
export function itemMessageOf(row: ItemRow): Item {
  const { message } = decodeJson(ItemSchema, row.document);
  message.enabled = row.enabled;
  message.revision = row.revision;
  message.createTime = timestampFromDate(row.createdAt);
  message.updateTime = timestampFromDate(row.updatedAt);
  return message;
}
