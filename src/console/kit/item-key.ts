/** An item's type and id as one text, which addresses and maps have. */

export type ItemName = { itemType: string; itemId: string };

export const itemKey = ({ itemType, itemId }: ItemName): string => `${itemType}/${itemId}`;

/** No item type has a slash. */
export function parseItemKey(key: string): ItemName {
  const slash = key.indexOf('/');
  return { itemType: key.slice(0, slash), itemId: key.slice(slash + 1) };
}
