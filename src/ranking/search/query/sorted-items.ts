/** Items of a set by the value of a key, as many as a page needs: chosen by a heap, so that a large set is not sorted. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Column } from '../../catalog/typed-columns.ts';
import { createTop } from '../scoring/top.ts';
import type { FoundSet } from './found-set.ts';

/** The first `count` are the positions of the items. */
type ItemSet = Pick<FoundSet, 'items' | 'count'>;

export type ItemOrder = { key: string; descending: boolean };

/** Of each group the item with the highest key; items without a group as they are. */
export function bestOfGroups(
  { groups, comesBefore }: Catalog,
  set: ItemSet,
  keyOf: (itemIndex: number) => number,
): ItemSet {
  if (groups.count === 0) return set;
  const { items, count } = set;
  const kept = new Int32Array(count);
  const places = new Int32Array(groups.codeLimit);
  let keptCount = 0;
  const isBetter = (one: number, other: number): boolean => {
    const difference = keyOf(one) - keyOf(other);
    return difference > 0 || (difference === 0 && comesBefore(one, other));
  };
  for (let i = 0; i < count; i++) {
    const group = groups.of(items[i]);
    const place = group < 0 ? 0 : places[group];
    if (place === 0) {
      kept[keptCount++] = items[i];
      if (group >= 0) places[group] = keptCount;
    } else if (isBetter(items[i], kept[place - 1])) kept[place - 1] = items[i];
  }
  return { items: kept, count: keptCount };
}

/** The first `end` items, one of each group; those without a value come last either way. */
export function sortedItems(catalog: Catalog, set: FoundSet, order: ItemOrder, end: number): Int32Array {
  const column = catalog.column(order.key);
  const rankAt = column ? rankOf(column, set) : () => Number.NaN;
  const sign = order.descending ? 1 : -1;
  const keyOf = (itemIndex: number): number => {
    const rank = rankAt(itemIndex);
    return Number.isNaN(rank) ? -Number.MAX_VALUE : rank * sign;
  };
  return bestItems(catalog, bestOfGroups(catalog, set, keyOf), end, keyOf);
}

/** The first `end` items, those with the highest keys first. */
export function bestItems(
  { comesBefore }: Pick<Catalog, 'comesBefore'>,
  { items, count }: ItemSet,
  end: number,
  keyOf: (itemIndex: number) => number,
): Int32Array {
  const size = Math.min(end, count);
  const top = createTop(size, comesBefore);
  top.begin(size);
  for (let i = 0; i < count; i++) top.offer(items[i], keyOf(items[i]));
  top.finish();
  return top.items.subarray(0, top.size);
}

/** A number that orders items as the first value of the column does. */
function rankOf(column: Column, { items, count }: FoundSet): (itemIndex: number) => number {
  if (column.numberAt) return column.numberAt;
  const firstAt = (itemIndex: number) => column.valuesAt(itemIndex)[0];
  const texts = new Set<string>();
  for (let i = 0; i < count; i++) {
    const value = firstAt(items[i]);
    if (value !== undefined) texts.add(String(value));
  }
  const ranks = new Map([...texts].sort().map((text, rank) => [text, rank]));
  return (itemIndex) => ranks.get(String(firstAt(itemIndex))) ?? Number.NaN;
}
