/** What a person has in the basket, for pages whose purpose is to complete it. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { HistoryEntry } from '../../history.ts';
import type { HistoryInput } from '../recommendation-request.ts';

/** What was put into a cart longer ago is forgotten there. */
const longestInCartSeconds = 30 * 86_400;

/**
 * Catalogue positions: the items of the request's histories if there are any, else what was put into the cart last and neither
 * removed nor bought since.
 */
export function basketOf(
  entries: readonly HistoryEntry[],
  histories: readonly (readonly HistoryInput[])[],
  { catalog, nowSeconds }: { catalog: Catalog; nowSeconds: number },
): number[] {
  const named = histories.flat().map(({ id, itemType }) => catalog.indexOfId(id, itemType));
  const items = named.some((itemIndex) => itemIndex !== undefined)
    ? named
    : openCart(entries, { catalog, nowSeconds });
  return [...new Set(items.filter((itemIndex) => itemIndex !== undefined))];
}

/** Of each item the latest event of a cart says whether it is in it; one of before the item was known says no type. */
function openCart(
  entries: readonly HistoryEntry[],
  { catalog, nowSeconds }: { catalog: Catalog; nowSeconds: number },
): number[] {
  const latest = new Map<number, HistoryEntry>();
  for (const entry of entries) {
    if (!cartEvents.has(entry.eventType)) continue;
    const itemIndex = catalog.indexOfId(entry.itemId, entry.itemType || undefined);
    if (itemIndex === undefined) continue;
    const known = latest.get(itemIndex);
    if (known === undefined || isLater(entry, known)) latest.set(itemIndex, entry);
  }
  const oldest = nowSeconds - longestInCartSeconds;
  return [...latest]
    .filter(([, last]) => last.eventType === 'add_to_cart' && last.occurredAtSeconds >= oldest)
    .map(([itemIndex]) => itemIndex);
}

const cartEvents: ReadonlySet<string> = new Set(['add_to_cart', 'remove_from_cart', 'purchase']);

/** Of one moment, what empties the cart came later. */
function isLater(one: HistoryEntry, other: HistoryEntry): boolean {
  if (one.occurredAtSeconds !== other.occurredAtSeconds)
    return one.occurredAtSeconds > other.occurredAtSeconds;
  return one.eventType !== 'add_to_cart';
}
