/** What a person has in the basket, for pages whose purpose is to complete it. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { HistoryEntry } from '../../repository/events/histories.ts';
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
    : openCart(entries, nowSeconds).map(({ itemId, itemType }) =>
        catalog.indexOfId(itemId, itemType || undefined),
      );
  return [...new Set(items.filter((itemIndex) => itemIndex !== undefined))];
}

/** Of each item the latest event of a cart says whether it is in it. */
function openCart(entries: readonly HistoryEntry[], nowSeconds: number): HistoryEntry[] {
  const latest = new Map<string, HistoryEntry>();
  for (const entry of entries) {
    if (!cartEvents.has(entry.eventType)) continue;
    const key = JSON.stringify([entry.itemType, entry.itemId]);
    const known = latest.get(key);
    if (known === undefined || isLater(entry, known)) latest.set(key, entry);
  }
  const oldest = nowSeconds - longestInCartSeconds;
  return [...latest.values()].filter(
    ({ eventType, occurredAtSeconds }) => eventType === 'add_to_cart' && occurredAtSeconds >= oldest,
  );
}

const cartEvents: ReadonlySet<string> = new Set(['add_to_cart', 'remove_from_cart', 'purchase']);

/** Of one moment, what empties the cart came later. */
function isLater(one: HistoryEntry, other: HistoryEntry): boolean {
  if (one.occurredAtSeconds !== other.occurredAtSeconds)
    return one.occurredAtSeconds > other.occurredAtSeconds;
  return one.eventType !== 'add_to_cart';
}
