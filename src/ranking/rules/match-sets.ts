/**
 * Which items match a condition, remembered between requests: one bit an item.
 *
 * A set knows the change log's position it was last right at, and on its next use tests only the items that changed since.
 * A condition that moves with the clock is tested directly; what is remembered for it is a set that holds all it can match
 * within the minute, to search in. The least recently used sets go when memory is short.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Matcher } from '../catalog/typed-columns.ts';
import { createCache } from '../runtime/cache.ts';
import type { BoundQuery } from './bind.ts';
import { ValueCodes } from './value-codes.ts';

/** Of the values of keys, four bytes an item each, beyond `maxBytes`: 16 keys of a catalogue of four million items. */
const maxValueBytes = 256 * 1024 * 1024;

/** The items that match a condition; right until the catalogue's next write. */
export type ItemSet = {
  has(itemIndex: number): boolean;
  /** At most so many items match; Infinity when nobody counted. */
  readonly count: number;
  /** Bit i % 32 of word i / 32 is set when item i matches; absent when nothing is remembered. */
  readonly words?: Uint32Array;
  /** Whether `words` and `count` hold nothing but what matches. */
  readonly isExact: boolean;
};

export type MatchSets = {
  /** The set of a bound condition, up to date with the catalogue. */
  get(query: BoundQuery): ItemSet;
  /** The values of a key by item, up to date with the catalogue; undefined for an unknown key. */
  valuesOf(key: string): ValueCodes | undefined;
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
    isExact: true,
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

export function createMatchSets({ catalog, maxBytes }: { catalog: Catalog; maxBytes: number }): MatchSets {
  const sets = createCache<MatchSet>({ maxBytes, bytesOf: ({ bytes }) => bytes });
  const values = createCache<ValueCodes>({ maxBytes: maxValueBytes, bytesOf: ({ bytes }) => bytes });

  const remembered = (query: BoundQuery): MatchSet => {
    const known = sets.get(query.key);
    const set = known ?? createMatchSet(catalog);
    const bytesBefore = set.bytes;
    set.catchUp(query);
    if (!known || set.bytes !== bytesBefore) sets.set(query.key, set);
    return set;
  };

  const direct = (query: BoundQuery): ItemSet => {
    const outer = query.outer && remembered(query.outer);
    const { count = Number.POSITIVE_INFINITY, words } = outer ?? {};
    return { has: query.createMatcher(), count, words, isExact: false };
  };

  const valuesOf = (key: string): ValueCodes | undefined => {
    const known = values.get(key);
    const column = catalog.column(key);
    const codes = known ?? (column && new ValueCodes(catalog, column));
    if (!codes) return undefined;
    const bytesBefore = codes.bytes;
    codes.catchUp();
    if (!known || codes.bytes !== bytesBefore) values.set(key, codes);
    return codes;
  };

  return {
    get bytes() {
      return sets.bytes + values.bytes;
    },
    valuesOf,
    get: (query) => (query.movesWithClock ? direct(query) : remembered(query)),
  };
}
