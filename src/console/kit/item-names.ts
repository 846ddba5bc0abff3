/** Items and lists of ids as text, for addresses and map keys. */

export type ItemName = { itemType: string; itemId: string };

export const itemKey = ({ itemType = '', itemId = '' }: Partial<ItemName>): string => `${itemType}/${itemId}`;

/** Item types contain no slash. */
export function parseItemKey(key: string): ItemName {
  const slash = key.indexOf('/');
  return { itemType: key.slice(0, slash), itemId: key.slice(slash + 1) };
}

/** Path of an item's page below the environment. */
export const itemPath = ({ itemType = '', itemId = '' }: Partial<ItemName>): string =>
  `catalogue/${encodeURIComponent(itemType)}/${encodeURIComponent(itemId)}`;

/** Joins ids with commas; commas within an id are escaped. */
export const writeList = (ids: readonly string[]): string =>
  ids.map((id) => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');

export const readList = (text: string): string[] =>
  text
    .split(',')
    .filter(Boolean)
    .map((id) => id.replaceAll('%2C', ',').replaceAll('%25', '%'));
