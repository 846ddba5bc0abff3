/** Counts the values of a facet, or its ranges, over a set of items. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { ItemGroups } from '../../catalog/groups.ts';
import type { CodedValues, Column, Value } from '../../catalog/typed-columns.ts';
import { createTop } from '../scoring/top.ts';
import { createVersionedCache } from '../versioned-cache.ts';
import type { FoundSet } from './found-set.ts';

/** A half-open range of numbers; an absent bound is no bound. */
export type Range = { minimum?: number; maximum?: number };

export function isWithin(
  number: number,
  { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Range,
): boolean {
  return number >= minimum && (number < maximum || maximum === Number.POSITIVE_INFINITY);
}

export type FacetValue = Range & { value: Value; count: number };

/** Counts a facet by the codes of its values or of its ranges. */
export type Counter = Coding & {
  count(set: Pick<FoundSet, 'items' | 'count'>): Int32Array;
  /** @param limit maximum number of values; all ranges are returned */
  valuesOf(counts: Int32Array, limit: number): FacetValue[];
};

/** Returns undefined for a column without values that items share. */
export function createCounter(column: Column, bounds: readonly number[] | undefined): Counter | undefined {
  if (bounds) return column.numberAt && rangeCounter(column.numberAt, bounds, column.coded);
  return column.coded && codeCounter(column.coded);
}

function codeCounter(coded: CodedValues): Counter {
  return {
    codeLimit: coded.codeLimit,
    codesAt: coded.codesAt,
    count({ items, count: itemCount }) {
      const counts = new Int32Array(coded.codeLimit);
      coded.countInto(items, itemCount, counts);
      return counts;
    },
    valuesOf: (counts, limit) => mostFrequent(counts, limit, coded.valueOf),
  };
}

/** Returns the most frequent values, equal ones in ascending order. */
function mostFrequent(counts: Int32Array, limit: number, valueAt: (code: number) => Value): FacetValue[] {
  const top = createTop(Math.min(limit, counts.length), (a, b) => valueAt(a) < valueAt(b));
  top.begin(limit);
  for (let code = 0; code < counts.length; code++) if (counts[code] > 0) top.offer(code, counts[code]);
  top.finish();
  const best = top.items.subarray(0, top.size);
  return Array.from(best, (code) => ({ value: valueAt(code), count: counts[code] }));
}

/** Where items share numbers, counts them by number first, which needs no comparison an item. */
function rangeCounter(
  numberAt: (itemIndex: number) => number,
  bounds: readonly number[],
  coded: CodedValues | undefined,
): Counter {
  const rangeOf = (number: number): number => {
    let range = 0;
    while (range < bounds.length && number >= bounds[range]) range += 1;
    return range;
  };
  return {
    codeLimit: bounds.length + 1,
    codesAt(itemIndex, codes) {
      const number = numberAt(itemIndex);
      codes[0] = rangeOf(number);
      return Number.isNaN(number) ? 0 : 1;
    },
    count({ items, count: itemCount }) {
      const counts = new Int32Array(bounds.length + 1);
      if (coded?.isShared?.()) {
        const byCode = new Int32Array(coded.codeLimit);
        coded.countInto(items, itemCount, byCode);
        for (let code = 0; code < byCode.length; code++)
          if (byCode[code] > 0) counts[rangeOf(coded.valueOf(code) as number)] += byCode[code];
        return counts;
      }
      for (let i = 0; i < itemCount; i++) {
        const number = numberAt(items[i]);
        if (!Number.isNaN(number)) counts[rangeOf(number)] += 1;
      }
      return counts;
    },
    valuesOf: (counts) =>
      Array.from(counts, (count, range) => {
        const within = { minimum: bounds[range - 1], maximum: bounds[range] };
        return { value: nameOfRange(within), count, ...within };
      }),
  };
}

/** Names a range `10-50`, `*-10` or `50-*`. */
function nameOfRange({ minimum, maximum }: Range): string {
  return `${minimum ?? '*'}-${maximum ?? '*'}`;
}

const numberPattern = String.raw`\*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const rangePattern = new RegExp(`^(${numberPattern})-(${numberPattern})$`);

/** Parses the name of a range; returns undefined for other texts. */
export function rangeNamed(name: string): Range | undefined {
  const [, minimum, maximum] = rangePattern.exec(name) ?? [];
  if (minimum === undefined) return undefined;
  const boundOf = (text: string) => (text === '*' ? undefined : Number(text));
  return { minimum: boundOf(minimum), maximum: boundOf(maximum) };
}

/** Items with those of one group side by side. */
export type GroupedSet = {
  items: Int32Array;
  /** By place: a number of the group, or of the item if it has none. */
  numbers: Int32Array;
};

function groupSet(groups: ItemGroups, { items, count }: Pick<FoundSet, 'items' | 'count'>): GroupedSet {
  const starts = new Int32Array(groups.codeLimit + 1);
  let alone = 0;
  for (let i = 0; i < count; i++) {
    const group = groups.of(items[i]);
    if (group < 0) alone += 1;
    else starts[group + 1] += 1;
  }
  starts[0] = alone;
  for (let group = 0; group < groups.codeLimit; group++) starts[group + 1] += starts[group];
  const placed: GroupedSet = { items: new Int32Array(count), numbers: new Int32Array(count) };
  let place = 0;
  for (let i = 0; i < count; i++) {
    const group = groups.of(items[i]);
    const at = group < 0 ? place++ : starts[group]++;
    placed.items[at] = items[i];
    placed.numbers[at] = group < 0 ? at : count + group;
  }
  return placed;
}

export type Coding = {
  /** Upper bound of the codes, exclusive. */
  readonly codeLimit: number;
  /**
   * Writes the codes of an item's values, of paths also those above, and returns their number; some
   * may repeat.
   */
  codesAt(itemIndex: number, codes: number[]): number;
};

/** Counts by code the groups, and the items without one, that have the value. */
function countGroups({ items, numbers }: GroupedSet, { codeLimit, codesAt }: Coding): Int32Array {
  const counts = new Int32Array(codeLimit);
  const stamps = new Int32Array(codeLimit).fill(-1);
  const codes: number[] = [];
  for (let i = 0; i < items.length; i++) {
    for (let k = codesAt(items[i], codes) - 1; k >= 0; k--) {
      const code = codes[k];
      if (stamps[code] === numbers[i]) continue;
      stamps[code] = numbers[i];
      counts[code] += 1;
    }
  }
  return counts;
}

/** Bytes of cached counts. */
const maxCacheBytes = 16 * 1024 * 1024;

/**
 * Counts sets of items, or of groups where items have groups. Counts of all items that can be shown
 * are cached.
 */
export function createSetCounts({ groups }: Catalog) {
  const countsOfAll = createVersionedCache<Int32Array>(maxCacheBytes, (counts) => counts.byteLength);
  return {
    /** @param key identifies what is counted */
    of(set: FoundSet, key: string, counter: Counter): Int32Array {
      if (groups.count > 0) return countGroups(groupSet(groups, set), counter);
      if (set.count < set.among.count) return counter.count(set);
      return countsOfAll.get({ key, version: set.among.version }, () => counter.count(set));
    },
  };
}
