/** Reads items out of a catalogue as rows, from which another one of the same declarations takes them. */

import { type EnvironmentSettings, itemFields } from '../../deployment/deployment.ts';
import type { Catalog, CatalogRow } from './catalog.ts';

/** Texts of which each item has its own: what most memory goes to, and few conditions name. Rows are without them. */
export const textKeys: ReadonlySet<string> = new Set(['title', 'description', 'uri']);

/** Rows say these beside the document, or they are no item's own. */
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
