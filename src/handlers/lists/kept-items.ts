/** Items of kept lists, as they are now. */

import type { Catalog } from '../../ranking/catalog/catalog.ts';
import type { StoredList } from './list-store.ts';

export type StoredItem = {
  itemId: string;
  itemType: string;
  rank: number;
  /** The request put it there. */
  isPlaced: boolean;
};

/** As the list was shown last: with what came for items that went away. */
export function itemsOf({ items, ranks, placed = [], filled = [] }: StoredList): StoredItem[] {
  const placedAt = new Set(placed);
  const kept = items.map(([itemId, itemType], place) => ({
    itemId,
    itemType,
    rank: ranks?.[place] ?? place + 1,
    isPlaced: placedAt.has(place),
  }));
  for (const [place, itemId, itemType] of filled)
    kept[place] = { ...kept[place], itemId, itemType, isPlaced: false };
  return kept;
}

/**
 * Neither disabled since, nor expired, nor published later now. What the request placed stands there before it is published,
 * too; what the catalogue does not know was placed and is the caller's own.
 */
export function isShowable(
  { itemId, itemType, isPlaced = false }: { itemId: string; itemType: string; isPlaced?: boolean },
  { catalog }: { catalog: Catalog },
  nowMs: number,
): boolean {
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return true;
  return isPlaced ? catalog.isPresent(itemIndex, nowMs) : catalog.servable(itemIndex, nowMs);
}
