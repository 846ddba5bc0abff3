/**
 * Counts of a set by the codes of a key, for the price of half of the catalogue at most.
 *
 * Counts of all that can be shown are remembered until anything changes. Of a set that is most of it the others are counted, and
 * taken away from those.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { createRemembered } from '../remembered.ts';
import type { Counter } from './facet-counts.ts';
import type { FoundSet } from './found-set.ts';
import { countGroups, groupSet } from './group-counts.ts';

export type SetCounts = {
  /** @param key says what is counted. */
  of(set: FoundSet, key: string, counter: Counter): Int32Array;
};

/** Of what is remembered. */
const mostBytes = 16 * 1024 * 1024;

type ItemSet = Pick<FoundSet, 'items' | 'count'>;

export function createSetCounts(catalog: Catalog): SetCounts {
  const remembered = createRemembered<Int32Array>(mostBytes, (counts) => counts.byteLength);
  /** What is not in the set that was asked about last. */
  let others: ItemSet & { of?: FoundSet } = { items: new Int32Array(0), count: 0 };

  const countAll = ({ among }: FoundSet, key: string, counter: Counter): Int32Array =>
    remembered.get({ key, version: among.version }, () =>
      counter.count(itemsOf(among.bytes, catalog.itemCount)),
    );

  const othersOf = (set: FoundSet): ItemSet => {
    if (others.of !== set) others = { ...without(set, catalog.itemCount), of: set };
    return others;
  };

  return {
    of(set, key, counter) {
      const { groups } = catalog;
      if (groups.count > 0) return countGroups(groupSet(groups, set), counter);
      if (set.count * 2 <= set.among.count) return counter.count(set);
      const counts = countAll(set, key, counter);
      if (set.count === set.among.count) return counts;
      const missing = counter.count(othersOf(set));
      return counts.map((count, code) => count - missing[code]);
    },
  };
}

function itemsOf(bytes: Uint8Array, itemCount: number): ItemSet {
  const items = new Int32Array(itemCount);
  let count = 0;
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
    items[count] = itemIndex;
    count += bytes[itemIndex];
  }
  return { items, count };
}

/** What can be shown and is not in the set. */
function without({ items, count, among }: FoundSet, itemCount: number): ItemSet {
  const bytes = among.bytes.slice(0, itemCount);
  for (let i = 0; i < count; i++) bytes[items[i]] = 0;
  return itemsOf(bytes, itemCount);
}
