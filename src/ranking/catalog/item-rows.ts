/** Reads the items of a catalogue as rows for another catalogue with the same declarations. */

import { type EnvironmentSettings, itemFields } from '../../deployment/deployment.ts';
import type { Catalog, CatalogRow } from './catalog.ts';

/** Texts that rows leave out: they take most of the memory, and few conditions name them. */
export const textKeys: ReadonlySet<string> = new Set(['title', 'description', 'uri']);

/** Keys that are no part of a row's document. */
const namedBeside: ReadonlySet<string> = new Set(['environment', 'item_id', 'item_type']);

export function createRowReader(
  catalog: Catalog,
  { properties }: Pick<EnvironmentSettings, 'properties'>,
): (itemIndex: number) => CatalogRow {
  const keys = [...itemFields, ...properties.keys()].filter(
    (key) => !textKeys.has(key) && !namedBeside.has(key),
  );
  return (itemIndex) => {
    const document: Record<string, unknown> = { item_attributes: catalog.attributesAt(itemIndex) };
    for (const key of keys) document[key] = catalog.shownAt(itemIndex, key);
    return {
      itemType: catalog.itemTypeAt(itemIndex),
      itemId: catalog.itemIdAt(itemIndex),
      document,
      enabled: catalog.isEnabled(itemIndex),
      revision: catalog.revisionAt(itemIndex),
    };
  };
}
