/** The one table of item keys of a training run: it gives every item the local index that all models use. */

/** Between item type and item id in a key; cannot occur in either. */
export const KEY_SEPARATOR = '\u0000';

export function itemKey(itemType: string, itemId: string): string {
  return itemType + KEY_SEPARATOR + itemId;
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
  const byKey = new Map<string, number>();
  const firstById = new Map<string, number>();
  return {
    keys,
    intern(itemType, itemId) {
      const key = itemKey(itemType, itemId);
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const local = keys.push(key) - 1;
      byKey.set(key, local);
      if (!firstById.has(itemId)) firstById.set(itemId, local);
      return local;
    },
    find(itemId, itemType) {
      const local = itemType === undefined ? firstById.get(itemId) : byKey.get(itemKey(itemType, itemId));
      return local ?? -1;
    },
  };
}
