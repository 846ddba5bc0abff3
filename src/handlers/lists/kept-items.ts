/** Current items of stored lists. */

import type { Catalog } from '../../ranking/catalog/catalog.ts';
import type { StoredList } from './list-store.ts';

export type StoredItem = {
  itemId: string;
  itemType: string;
  rank: number;
  /** Whether the request placed it. */
  isPlaced: boolean;
  /** See ListItem. */
  team?: string;
};

/** Returns the items as last shown, including those that fill gaps. */
export function itemsOf(
  list: Pick<StoredList, 'items' | 'ranks' | 'placed' | 'filled' | 'teams'>,
): StoredItem[] {
  const { items, ranks, placed = [], filled = [], teams } = list;
  const placedAt = new Set(placed);
  const kept = items.map(([itemId, itemType], place) => ({
    itemId,
    itemType,
    rank: ranks?.[place] ?? place + 1,
    isPlaced: placedAt.has(place),
    ...(teams?.ofItems[place] ? { team: teams.ofItems[place] } : {}),
  }));
  for (const [place, itemId, itemType] of filled)
    kept[place] = { itemId, itemType, rank: kept[place].rank, isPlaced: false };
  return kept;
}

/** Items that the request placed need not be published; unknown ones stay. */
export function isShowable(
  { itemId, itemType, isPlaced = false }: { itemId: string; itemType: string; isPlaced?: boolean },
  { catalog }: { catalog: Catalog },
  nowMs: number,
): boolean {
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined) return true;
  return isPlaced ? catalog.isPresent(itemIndex, nowMs) : catalog.servable(itemIndex, nowMs);
}
