/** Determines a subject's basket, for pages that complete it. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { HistoryEntry } from '../../history.ts';
import type { HistoryInput } from '../recommendation-request.ts';

/** Maximum age of a cart event. */
const longestInCartSeconds = 30 * 86_400;

/**
 * Returns catalogue positions: the items of the request's histories if present, else those last
 * added to the cart and neither removed nor bought since.
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

/**
 * Follows each item's latest cart event; a purchase of another variant takes it out, too. Events
 * from before the item existed have no type.
 */
function openCart(
  entries: readonly HistoryEntry[],
  { catalog, nowSeconds }: { catalog: Catalog; nowSeconds: number },
): number[] {
  const latest = new Map<number, HistoryEntry>();
  const boughtAt = new Map<number, number>();
  for (const entry of entries) {
    if (!cartEvents.has(entry.eventType)) continue;
    const itemIndex = catalog.indexOfId(entry.itemId, entry.itemType || undefined);
    if (itemIndex === undefined) continue;
    const group = catalog.groups.isOrdered(itemIndex) ? -1 : catalog.groups.of(itemIndex);
    if (entry.eventType === 'purchase' && group >= 0)
      boughtAt.set(group, Math.max(entry.occurredAtSeconds, boughtAt.get(group) ?? 0));
    const known = latest.get(itemIndex);
    if (known === undefined || isLater(entry, known)) latest.set(itemIndex, entry);
  }
  const oldest = nowSeconds - longestInCartSeconds;
  const isOpen = ([itemIndex, { eventType, occurredAtSeconds }]: [number, HistoryEntry]) =>
    eventType === 'add_to_cart' &&
    occurredAtSeconds >= oldest &&
    occurredAtSeconds > (boughtAt.get(catalog.groups.of(itemIndex)) ?? Number.NEGATIVE_INFINITY);
  return [...latest].filter(isOpen).map(([itemIndex]) => itemIndex);
}

const cartEvents: ReadonlySet<string> = new Set(['add_to_cart', 'remove_from_cart', 'purchase']);

/** At equal times, events that empty the cart come later. */
function isLater(one: HistoryEntry, other: HistoryEntry): boolean {
  if (one.occurredAtSeconds !== other.occurredAtSeconds)
    return one.occurredAtSeconds > other.occurredAtSeconds;
  return one.eventType !== 'add_to_cart';
}
