/**
 * Facets: how many of the found items have each value of a key, or lie in each range, and which are left by the values that a
 * person has picked.
 *
 * Each facet is counted without its own picks, so that the others of its values can be added to them. An item counts for a
 * facet when it fails no pick, or none but that facet's own; one pass over the items notes how many picks each fails.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Column, Matcher, Value } from '../../catalog/typed-columns.ts';
import type { FoundSet } from './found-set.ts';
import type { RememberedTests } from './remembered-tests.ts';

/** From the lower bound on, and below the upper one; absent: no bound. */
export type Range = { minimum?: number; maximum?: number };

export type FacetRequest = {
  key: string;
  /** Bounds between ranges, ascending; absent: by value. */
  bounds?: readonly number[];
  /** Most values, the most frequent first. */
  limit: number;
};

/** An item passes when it has one of the values, or lies in one of the ranges. */
export type FacetFilter = { key: string; values: readonly Value[]; ranges: readonly Range[] };

export type FacetValue = Range & { value: Value; count: number };

export type Facet = { key: string; values: FacetValue[] };

export type Facets = {
  /** Items that pass all filters, and the counts. */
  read(found: FoundSet, requests: readonly FacetRequest[], filters: readonly FacetFilter[]): FacetedSet;
};

export type FacetedSet = { left: FoundSet; facets: Facet[] };

export function createFacets(catalog: Catalog, tests: RememberedTests): Facets {
  const testOf = (filter: FacetFilter): Matcher =>
    tests.get(JSON.stringify(['facet', filter]), () => createTest(catalog.column(filter.key), filter));

  return {
    read(found, requests, filters) {
      if (filters.length === 0)
        return { left: found, facets: requests.map((request) => countFacet(catalog, request, found)) };
      const failed = failuresOf(found, filters.map(testOf));
      const left = passing(found, failed, none);
      const facets = requests.map((request) => {
        const own = filters.findIndex(({ key }) => key === request.key);
        return countFacet(catalog, request, own < 0 ? left : passing(found, failed, own));
      });
      return { left, facets };
    },
  };
}

const none = -1;
const several = -2;

/** By place in the set: the filter that the item fails, if it is one. */
function failuresOf({ items, count }: FoundSet, tests: readonly Matcher[]): Int16Array {
  const failed = new Int16Array(count).fill(none);
  for (let t = 0; t < tests.length; t++) {
    const passes = tests[t];
    for (let i = 0; i < count; i++)
      if (failed[i] !== several && !passes(items[i])) failed[i] = failed[i] === none ? t : several;
  }
  return failed;
}

/** Items that fail nothing, or nothing but the filter `own`. */
function passing({ items, count }: FoundSet, failed: Int16Array, own: number): FoundSet {
  const kept = new Int32Array(count);
  let keptCount = 0;
  for (let i = 0; i < count; i++) if (failed[i] === none || failed[i] === own) kept[keptCount++] = items[i];
  return { items: kept, count: keptCount };
}

function createTest(column: Column | undefined, { values, ranges }: FacetFilter): Matcher {
  if (!column) return () => false;
  const hasValue = column.matcher({ oneOf: values });
  const { numberAt } = column;
  if (!numberAt || ranges.length === 0) return hasValue;
  return (itemIndex) => {
    const number = numberAt(itemIndex);
    return ranges.some((range) => isWithin(number, range)) || hasValue(itemIndex);
  };
}

function isWithin(
  number: number,
  { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Range,
): boolean {
  return number >= minimum && (number < maximum || maximum === Number.POSITIVE_INFINITY);
}

function countFacet(catalog: Catalog, { key, bounds, limit }: FacetRequest, set: FoundSet): Facet {
  const column = catalog.column(key);
  if (column?.numberAt)
    return {
      key,
      values: bounds ? countRanges(column.numberAt, bounds, set) : countNumbers(column.numberAt, set, limit),
    };
  return { key, values: column?.coded ? countCodes(column.coded, set, limit) : [] };
}

function countCodes(coded: NonNullable<Column['coded']>, { items, count }: FoundSet, limit: number) {
  const counts = new Int32Array(coded.codeLimit);
  coded.countInto(items, count, counts);
  const values: FacetValue[] = [];
  counts.forEach((one, code) => {
    if (one > 0) values.push({ value: coded.valueOf(code), count: one });
  });
  return mostFrequent(values, limit);
}

function countNumbers(numberAt: (itemIndex: number) => number, { items, count }: FoundSet, limit: number) {
  const counts = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const number = numberAt(items[i]);
    if (!Number.isNaN(number)) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return mostFrequent(
    Array.from(counts, ([value, one]) => ({ value, count: one })),
    limit,
  );
}

function mostFrequent(values: FacetValue[], limit: number): FacetValue[] {
  values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return values.slice(0, limit);
}

function countRanges(
  numberAt: (itemIndex: number) => number,
  bounds: readonly number[],
  { items, count }: FoundSet,
): FacetValue[] {
  const counts = new Int32Array(bounds.length + 1);
  for (let i = 0; i < count; i++) {
    const number = numberAt(items[i]);
    if (Number.isNaN(number)) continue;
    let range = 0;
    while (range < bounds.length && number >= bounds[range]) range += 1;
    counts[range] += 1;
  }
  return Array.from(counts, (one, range) => {
    const within = { minimum: bounds[range - 1], maximum: bounds[range] };
    return { value: nameOfRange(within), count: one, ...within };
  });
}

/** `10-50`, `*-10` below it and `50-*` from there on. */
export function nameOfRange({ minimum, maximum }: Range): string {
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
