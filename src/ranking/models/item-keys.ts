/** The one table of item keys of a training run: it gives every item the local index that all models use. */

/** Between item type and item id in a key; cannot occur in either. */
export const keySeparator = '\u0000';

export function itemKey(itemType: string, itemId: string): string {
  return itemType + keySeparator + itemId;
}

export type ItemKeys = {
  /** Local index → key, in order of first sight. */
  readonly keys: readonly string[];
  /** The local index of an item, a new one at first sight. */
  intern(itemType: string, itemId: string): number;
  /** The local index of a known item, or -1. Without a type: the first item known under that id. */
  find(itemId: string, itemType?: string): number;
};

export function createItemKeys(): ItemKeys {
  const keys: string[] = [];
  /** By type, then by id: joining the two for every event of a log takes longer than finding them apart. */
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
