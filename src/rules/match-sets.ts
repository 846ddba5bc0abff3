/**
 * Which items match a condition, remembered between requests: one bit an item.
 *
 * A set knows the change log's position it was last right at, and on its next use tests only the items that changed since.
 * Conditions that move with the clock are tested directly instead. The least recently used sets go when memory is short.
 */
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { Matcher } from '../catalog/columns.ts';
import type { BoundQuery } from './bind.ts';

/** The items that match a condition; right until the catalogue's next write. */
export type ItemSet = {
  has(itemIndex: number): boolean;
  /** How many items match, Infinity when nobody counted. */
  readonly count: number;
  /** Bit i % 32 of word i / 32 says whether item i matches; absent for a set that is not remembered. */
  readonly words?: Uint32Array;
};

export type MatchSets = {
  /** The set of a bound condition, up to date with the catalogue. */
  get(query: BoundQuery): ItemSet;
  /** Bytes held, estimated. */
  readonly bytes: number;
};

type MatchSet = ItemSet & { readonly bytes: number; catchUp(query: BoundQuery): void };

function createMatchSet(catalog: Catalog): MatchSet {
  let words = new Uint32Array(0);
  let count = 0;
  let position = -1;

  const update = (itemIndex: number, matches: boolean): void => {
    const bit = 1 << (itemIndex & 31);
    const held = (words[itemIndex >>> 5] & bit) !== 0;
    if (held === matches) return;
    words[itemIndex >>> 5] ^= bit;
    count += matches ? 1 : -1;
  };

  const rebuild = (matches: Matcher): void => {
    words = new Uint32Array(Math.ceil((catalog.itemCount * 1.25 + 64) / 32));
    count = 0;
    for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) {
      if (matches(itemIndex)) update(itemIndex, true);
    }
  };

  return {
    has: (itemIndex) => (words[itemIndex >>> 5] & (1 << (itemIndex & 31))) !== 0,
    get count() {
      return count;
    },
    get words() {
      return words;
    },
    get bytes() {
      return words.byteLength;
    },
    catchUp(query) {
      if (position === catalog.changes.position) return;
      const matches = query.createMatcher();
      const fits = position >= 0 && catalog.itemCount <= words.length * 32;
      const followed = fits && catalog.changes.visitSince(position, (i) => update(i, matches(i)));
      if (!followed) rebuild(matches);
      position = catalog.changes.position;
    },
  };
}

/** A condition that is tested anew each time. */
function directSet(query: BoundQuery): ItemSet {
  return { has: query.createMatcher(), count: Number.POSITIVE_INFINITY };
}

export function createMatchSets({ catalog, maxBytes }: { catalog: Catalog; maxBytes: number }): MatchSets {
  const sizeCalculation = (set: MatchSet, key: string): number => set.bytes + key.length * 2 + 200;
  const sets = new LRUCache<string, MatchSet>({ maxSize: maxBytes, sizeCalculation });
  return {
    get bytes() {
      return sets.calculatedSize;
    },
    get(query) {
      if (query.movesWithClock) return directSet(query);
      const known = sets.get(query.key);
      const set = known ?? createMatchSet(catalog);
      const bytesBefore = set.bytes;
      set.catchUp(query);
      if (known && set.bytes !== bytesBefore) sets.delete(query.key);
      if (!known || set.bytes !== bytesBefore) sets.set(query.key, set);
      return set;
    },
  };
}
