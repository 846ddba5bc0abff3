/** Changes of items by a merge patch, or by a message and its field mask. */

import type { FieldMask } from '@bufbuild/protobuf/wkt';
import { type Item, ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import { type ItemTypeSettings, reservedPropertyNames } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import { decodeJson } from '../../formats/codec.ts';
import type { ItemUpdate } from '../../repository/items/item-updates.ts';
import { refuse } from '../chain/refuse.ts';
import { documentOf, type JsonDocument } from '../messages/documents.ts';
import { checkDocument, writeOf } from './item-documents.ts';
import type { ItemIdentity } from './item-specification.ts';
import { mergePatch } from './merge-patch.ts';
import { isPurged } from './purged-items.ts';

/** Set by the service or the path, or not a field in JSON. */
const unmasked = new Set([
  'environment',
  'item_id',
  'item_type',
  'properties',
  'enabled',
  'revision',
  'create_time',
  'update_time',
]);
const fieldNames = new Set(ItemSchema.fields.map(({ name }) => name));
const propertyPrefix = 'properties.';

/** Returns the caller's JSON patch, or the patch that a message and its mask describe. */
export function patchOf(item: Item, mask?: FieldMask): JsonDocument {
  const given = documentOf(ItemSchema, item);
  if (!mask?.paths.length) return given;
  const names = mask.paths.map(nameOf);
  const unknown = mask.paths.filter((_, i) => names[i] === undefined);
  refuse(
    unknown.map((path) => ({
      pointer: '/update_mask',
      detail: `Unknown or read-only field ${JSON.stringify(path)}; properties are \`properties.NAME\`.`,
    })),
  );
  return Object.fromEntries(names.map((name) => [name!, given[name!] ?? null]));
}

/** Returns the JSON name of a path in a mask; undefined if it cannot change. */
function nameOf(path: string): string | undefined {
  if (!path.startsWith(propertyPrefix)) return fieldNames.has(path) && !unmasked.has(path) ? path : undefined;
  const name = path.slice(propertyPrefix.length);
  return reservedPropertyNames.has(name) ? undefined : name;
}

export type ItemPatch = {
  identity: ItemIdentity;
  itemType: ItemTypeSettings;
  patch: JsonDocument;
  /** New status [unchanged]. */
  enabled?: boolean;
};

/** Returns the change. It refuses documents that could not be stored as a whole. */
export function changeBy({
  identity,
  itemType,
  patch,
  enabled,
}: ItemPatch): ItemUpdate<Violation[]>['change'] {
  return (content) => {
    if (isPurged(content)) return { refused: [{ pointer: '/item_id', detail: 'Is not stored.' }] };
    const document = mergePatch(content.document, patch) as JsonDocument;
    const { message, violations } = decodeJson(ItemSchema, document);
    const faults = violations.length > 0 ? violations : checkDocument(identity, document, message, itemType);
    if (faults.length > 0) return { refused: faults };
    return { document: writeOf(identity, document).document, enabled: enabled ?? content.enabled };
  };
}
