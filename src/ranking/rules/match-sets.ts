/**
 * Match sets: the items that match a condition, one bit each, cached between requests.
 *
 * A set remembers its position in the change log and on its next use tests only the items that have
 * changed. A condition that moves with the clock is tested directly; its cached set holds all items
 * that it can match within the minute.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Matcher } from '../catalog/typed-columns.ts';
import { createCache } from '../runtime/cache.ts';
import type { BoundQuery } from './bind.ts';
import { ValueCodes } from './value-codes.ts';

/**
 * For values of keys, in addition to `maxBytes`: 16 keys of a catalogue of four million items, at
 * four bytes per item.
 */
const maxValueBytes = 256 * 1024 * 1024;

/** The items that match a condition; valid until the catalogue's next write. */
export type ItemSet = {
  has(itemIndex: number): boolean;
  /** Upper bound of the matching items; Infinity when unknown. */
  readonly count: number;
  /** Bit i % 32 of word i / 32 is set when item i may match; absent without a cached set. */
  readonly words?: Uint32Array;
  /** Whether `words` and `count` contain matching items only. */
  readonly isExact: boolean;
};

export type MatchSets = {
  /** Returns the set of a bound condition, up to date with the catalogue. */
  get(query: BoundQuery): ItemSet;
  /** Returns the current values of a key by item; undefined for an unknown key. */
  valuesOf(key: string): ValueCodes | undefined;
  /** Estimated memory. */
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
