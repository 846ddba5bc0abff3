/**
 * Browses a catalogue: lists matching items in an order, and counts the values of a key.
 *
 * Reads every item, which takes some 10 ms for 100,000. The results of the last questions are
 * cached for their next pages.
 */

import { createCache } from '../runtime/cache.ts';
import { partitionPoint } from '../runtime/partition-point.ts';
import type { Catalog } from './catalog.ts';
import type { Value } from './typed-columns.ts';

/** Per environment: 16 results with all items of a catalogue of 100,000. */
const mostBytes = 16 * 1024 * 1024;

const bytesPerItem = 8;

export type BrowseQuestion = {
  /** Identifies the question. */
  key: string;
  holds(itemIndex: number): boolean;
  /** Key of a column [item type, then ID]. */
  orderBy?: string;
  /** Ranks of items, which order them before all others; not together with `orderBy`. */
  ranks?: ReadonlyMap<number, number>;
  descending?: boolean;
};

/** The place of an item in an order, which stays valid when the item moves. */
export type BrowsePlace = {
  itemType: string;
  itemId: string;
  /** The value of the sort key; absent when the item lacks it. */
  value?: Value;
};

export type Found = {
  /** Positions in the catalogue, in order. */
  items: readonly number[];
  placeOf(itemIndex: number): BrowsePlace;
  /** Counts the items up to a place. */
  countTo(place: BrowsePlace): number;
};

export type Browser = { find(question: BrowseQuestion): Found };

export function createBrowser(catalog: Catalog): Browser {
  const answers = createCache<{ position: number; items: readonly number[] }>({
    maxBytes: mostBytes,
    bytesOf: ({ items }) => items.length * bytesPerItem,
  });
  return {
    find(question) {
      const { position } = catalog.changes;
      const order = createOrder(catalog, question);
      const known = answers.get(question.key);
      const items = known?.position === position ? known.items : order.sort(select(catalog, question));
      answers.set(question.key, { position, items });
      return { items, placeOf: order.placeOf, countTo: (place) => countTo(items, place, order) };
    },
  };
}

function select({ itemCount }: Catalog, { holds }: BrowseQuestion): number[] {
  const found: number[] = [];
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) if (holds(itemIndex)) found.push(itemIndex);
  return found;
}

type Order = {
  sort(items: number[]): readonly number[];
  placeOf(itemIndex: number): BrowsePlace;
  compare(a: BrowsePlace, b: BrowsePlace): number;
};

function createOrder(catalog: Catalog, { orderBy, descending, ranks }: BrowseQuestion): Order {
  const column = orderBy === undefined ? undefined : catalog.column(orderBy);
  const valueAt =
    column?.numberAt ??
    ((itemIndex: number): Value | undefined => column?.valuesAt(itemIndex)[0] ?? ranks?.get(itemIndex));
  const compareNames = (a: BrowsePlace, b: BrowsePlace) =>
    compare(a.itemType, b.itemType) || compare(a.itemId, b.itemId);
  const byName = (a: number, b: number) =>
    compare(catalog.itemTypeAt(a), catalog.itemTypeAt(b)) ||
    compare(catalog.itemIdAt(a), catalog.itemIdAt(b));
  return {
    sort(items) {
      if (!column && !ranks) return items.sort(byName);
      const values = new Map(items.map((itemIndex) => [itemIndex, valueAt(itemIndex)]));
      return items.sort((a, b) => compareValues(values.get(a), values.get(b), descending) || byName(a, b));
    },
    placeOf(itemIndex) {
      const value = valueAt(itemIndex);
      const name = { itemType: catalog.itemTypeAt(itemIndex), itemId: catalog.itemIdAt(itemIndex) };
      return isLacking(value) ? name : { ...name, value };
    },
    compare: (a, b) => compareValues(a.value, b.value, descending) || compareNames(a, b),
  };
}

function countTo(items: readonly number[], place: BrowsePlace, { placeOf, compare: order }: Order): number {
  return partitionPoint(0, items.length, (at) => order(placeOf(items[at]), place) <= 0);
}

const isLacking = (value: Value | undefined): value is undefined =>
  value === undefined || Number.isNaN(value);

/** Sorts missing values last in both directions. */
function compareValues(a: Value | undefined, b: Value | undefined, descending = false): number {
  if (isLacking(a) || isLacking(b)) return Number(isLacking(a)) - Number(isLacking(b));
  return descending ? compare(b, a) : compare(a, b);
}

function compare(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type ValueCounts = {
  /** Most frequent first. */
  values: { value: Value; itemCount: number }[];
  itemCount: number;
  missingCount: number;
  minimum?: number;
  maximum?: number;
};

/** Counts the values of enabled items, also of ancestors of paths; needs a known key. */
export function countValues(catalog: Catalog, key: string): ValueCounts | undefined {
  const column = catalog.column(key);
  if (!column) return undefined;
  const counts = new Map<Value, number>();
  let itemCount = 0;
  let missingCount = 0;
  for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) {
    if (!catalog.isEnabled(itemIndex)) continue;
    const values = column.valuesAt(itemIndex);
    if (values.length > 0) itemCount += 1;
    else missingCount += 1;
    for (const value of column.hasLevels ? withBeginnings(values) : values)
      counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const values = Array.from(counts, ([value, count]) => ({ value, itemCount: count }));
  values.sort((a, b) => b.itemCount - a.itemCount || compare(a.value, b.value));
  return { values, itemCount, missingCount, ...rangeOf(counts.keys()) };
}

function withBeginnings(paths: readonly Value[]): Set<Value> {
  const all = new Set<Value>();
  for (const path of paths.map(String)) {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) all.add(path.slice(0, end));
    all.add(path);
  }
  return all;
}

function rangeOf(values: Iterable<Value>): Pick<ValueCounts, 'minimum' | 'maximum'> {
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (typeof value !== 'number') return {};
    minimum = Math.min(minimum, value);
    maximum = Math.max(maximum, value);
  }
  return minimum <= maximum ? { minimum, maximum } : {};
}
