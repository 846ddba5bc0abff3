/** Item keys of a training run: assigns the local index that all models use. */

/** Separates item type and item id in a key; occurs in neither. */
export const keySeparator = '\u0000';

export function itemKey(itemType: string, itemId: string): string {
  return itemType + keySeparator + itemId;
}

export type ItemKeys = {
  /** Local index → key, in order of appearance. */
  readonly keys: readonly string[];
  /** Returns the local index of an item, adding new items. */
  intern(itemType: string, itemId: string): number;
  /** Returns the local index of a known item, or -1. Without a type: the first with that id. */
  find(itemId: string, itemType?: string): number;
};

export function createItemKeys(): ItemKeys {
  const keys: string[] = [];
  /** By type, then id: joining both for every event takes longer than two look-ups. */
  const byType = new Map<string, Map<string, number>>();
  const firstById = new Map<string, number>();
  return {
    keys,
    intern(itemType, itemId) {
      const byId = byType.get(itemType) ?? new Map<string, number>();
      byType.set(itemType, byId);
      const known = byId.get(itemId);
      if (known !== undefined) return known;
      const local = keys.push(itemKey(itemType, itemId)) - 1;
      byId.set(itemId, local);
      if (!firstById.has(itemId)) firstById.set(itemId, local);
      return local;
    },
    find(itemId, itemType) {
      const byId = itemType === undefined ? firstById : byType.get(itemType);
      const local = byId?.get(itemId);
      return local ?? -1;
    },
  };
}
