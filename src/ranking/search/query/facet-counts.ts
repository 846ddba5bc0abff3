/** Counts the values of one key, or its ranges, over a set of items. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { ItemGroups } from '../../catalog/groups.ts';
import type { CodedValues, Column, Value } from '../../catalog/typed-columns.ts';
import { createVersionedCache } from '../versioned-cache.ts';
import type { FoundSet } from './found-set.ts';

/** From the lower bound on, and below the upper one; absent: no bound. */
export type Range = { minimum?: number; maximum?: number };

export type FacetValue = Range & { value: Value; count: number };

/** How a key is counted: by codes of its values or of its ranges. */
export type Counter = Coding & {
  count(set: Pick<FoundSet, 'items' | 'count'>): Int32Array;
  /** @param limit most values; ranges are all told */
  valuesOf(counts: Int32Array, limit: number): FacetValue[];
};

/** Undefined for a key whose values items do not share. */
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

/**
 * The values with the highest counts, of equal ones the lowest. A value is looked at only when its count is among the best so
 * far, so that ten thousand values cost little more than a hundred.
 */
function mostFrequent(counts: Int32Array, limit: number, valueAt: (code: number) => Value): FacetValue[] {
  const best: FacetValue[] = [];
  let least = 1;
  for (let code = 0; code < counts.length; code++) {
    const count = counts[code];
    if (count < least) continue;
    best.push({ value: valueAt(code), count });
    if (best.length < limit * 2) continue;
    best.sort(compareValues).length = limit;
    least = best[limit - 1].count;
  }
  best.sort(compareValues);
  return best.slice(0, limit);
}

function compareValues(a: FacetValue, b: FacetValue): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1);
}

/** Where items share numbers the items are counted by number, and then the numbers by range, without a comparison an item. */
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

/** `10-50`, `*-10` below it and `50-*` from there on. */
function nameOfRange({ minimum, maximum }: Range): string {
  return `${minimum ?? '*'}-${maximum ?? '*'}`;
}

const numberPattern = String.raw`\*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const rangePattern = new RegExp(`^(${numberPattern})-(${numberPattern})$`);

/** Undefined for what names no range. */
export function rangeNamed(name: string): Range | undefined {
  const [, minimum, maximum] = rangePattern.exec(name) ?? [];
  if (minimum === undefined) return undefined;
  const boundOf = (text: string) => (text === '*' ? undefined : Number(text));
  return { minimum: boundOf(minimum), maximum: boundOf(maximum) };
}

/** Found items, those of one group side by side. */
export type GroupedSet = {
  items: Int32Array;
  /** By place: another number for each group, and for each item without one. */
  numbers: Int32Array;
};

export function groupSet(
  groups: ItemGroups,
  { items, count }: Pick<FoundSet, 'items' | 'count'>,
): GroupedSet {
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
  /** Codes are below it. */
  readonly codeLimit: number;
  /** Writes the codes of an item's values, of paths also those above, and returns how many there are; some may repeat. */
  codesAt(itemIndex: number, codes: number[]): number;
};

/** By code: how many groups, and items without one, have the value. */
export function countGroups({ items, numbers }: GroupedSet, { codeLimit, codesAt }: Coding): Int32Array {
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

export type SetCounts = {
  /** @param key says what is counted. */
  of(set: FoundSet, key: string, counter: Counter): Int32Array;
};

/** Of what is remembered. */
const mostBytes = 16 * 1024 * 1024;

type ItemSet = Pick<FoundSet, 'items' | 'count'>;

export function createSetCounts(catalog: Catalog): SetCounts {
  const remembered = createVersionedCache<Int32Array>(mostBytes, (counts) => counts.byteLength);
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
