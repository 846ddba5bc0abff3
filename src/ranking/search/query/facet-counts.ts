/** Counts the values of one key, or its ranges, over a set of items. */
import type { CodedValues, Column, Value } from '../../catalog/typed-columns.ts';
import type { FoundSet } from './found-set.ts';
import type { Coding } from './group-counts.ts';

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
