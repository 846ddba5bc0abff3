/** Items of kept lists, as they are now. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { CachedList } from './list-cache.ts';

export type KeptItem = { itemId: string; itemType: string; rank: number };

/** As the list was shown last: with what came for items that went away. */
export function itemsOf({ items, ranks, filled = [] }: CachedList): KeptItem[] {
  const kept = items.map(([itemId, itemType], place) => ({
    itemId,
    itemType,
    rank: ranks?.[place] ?? place + 1,
  }));
  for (const [place, itemId, itemType] of filled) kept[place] = { ...kept[place], itemId, itemType };
  return kept;
}

/** Neither disabled since nor expired; what the catalogue does not know was injected and is the caller's own. */
export function isShowable(
  { itemId, itemType }: { itemId: string; itemType: string },
  { catalog }: { catalog: Catalog },
  nowMs: number,
): boolean {
  const itemIndex = catalog.indexOf(itemType, itemId);
  return itemIndex === undefined || catalog.isPresent(itemIndex, nowMs);
}
