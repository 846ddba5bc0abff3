/**
 * Facets: the number of found items by value or range of a property, after the values that the
 * subject has picked.
 *
 * Each facet is counted without its own filters, so that further values of it can be picked. An
 * item counts for a facet when it fails no filter, or only that facet's own; one pass over the
 * items notes which filter each fails. A group counts as one item.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Column, Matcher, Value } from '../../catalog/typed-columns.ts';
import { createCounter, createSetCounts, type FacetValue, isWithin, type Range } from './facet-counts.ts';
import type { FoundSet } from './found-set.ts';
import { type ItemTests, passing } from './item-tests.ts';

export type FacetRequest = {
  key: string;
  /** Bounds between ranges, ascending; absent: by value. */
  bounds?: readonly number[];
  /** Maximum number of values, the most frequent first. */
  limit: number;
};

/** An item passes when it has one of the values, or lies in one of the ranges. */
export type FacetFilter = { key: string; values: readonly Value[]; ranges: readonly Range[] };

/** The range is that of a number's values; absent without any. */
export type Facet = Range & { key: string; values: FacetValue[] };

export type FacetedSet = { left: FoundSet; facets: Facet[] };

export function createFacets(catalog: Catalog, tests: ItemTests) {
  const answersOf = (filter: FacetFilter): Uint8Array =>
    tests.all(JSON.stringify(['facet', filter]), () => pickTest(catalog, filter));
  const counts = createSetCounts(catalog);
  const countFacet = ({ key, bounds, limit }: FacetRequest, set: FoundSet): Facet => {
    const column = catalog.column(key);
    const counter = column && createCounter(column, bounds);
    if (!counter) return { key, values: [] };
    const values = counter.valuesOf(counts.of(set, JSON.stringify([key, bounds]), counter), limit);
    return { key, values, ...(column.keyOf && rangeOf(column, set)) };
  };

  return {
    /** Returns the items that pass all filters, and the counts. */
    read(found: FoundSet, requests: readonly FacetRequest[], filters: readonly FacetFilter[]): FacetedSet {
      if (filters.length === 0)
        return { left: found, facets: requests.map((request) => countFacet(request, found)) };
      const failed = failuresOf(found, filters.map(answersOf));
      const left = failingOnly(found, failed, none);
      const facets = requests.map((request) => {
        const own = filters.findIndex(({ key }) => key === request.key);
        if (own >= 0 && filters.length === 1) return countFacet(request, found);
        return countFacet(request, own < 0 ? left : failingOnly(found, failed, own));
      });
      return { left, facets };
    },
  };
}

/** Returns the least and the greatest number; nothing for a column without numbers. */
function rangeOf({ numberAt }: Column, { items, count }: FoundSet): Range {
  if (!numberAt) return {};
  let [minimum, maximum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < count; i++) {
    const number = numberAt(items[i]);
    if (number < minimum) minimum = number;
    if (number > maximum) maximum = number;
  }
  return minimum <= maximum ? { minimum, maximum } : {};
}

const none = 0xff;
const several = 0xfe;

/** By place in the set: the filter that the item fails, or `none` or `several`. */
function failuresOf({ items, count }: FoundSet, answers: readonly Uint8Array[]): Uint8Array {
  const failed = new Uint8Array(count).fill(none);
  for (const [t, answer] of answers.entries()) noteFailures(items, answer, failed, t);
  return failed;
}

function noteFailures(items: Int32Array, answer: Uint8Array, failed: Uint8Array, filter: number): void {
  for (let i = 0; i < failed.length; i++)
    if (answer[items[i]] !== passing) failed[i] = failed[i] === none ? filter : several;
}

/** Returns the items that fail no filter, or only the filter `own`. */
function failingOnly({ items, count, among }: FoundSet, failed: Uint8Array, own: number): FoundSet {
  const kept = new Int32Array(count);
  let keptCount = 0;
  for (let i = 0; i < count; i++) {
    kept[keptCount] = items[i];
    keptCount += Number(failed[i] === none || failed[i] === own);
  }
  return { items: kept, count: keptCount, among };
}

/** Returns a test that is valid until the catalogue's next write. */
export function pickTest(catalog: Catalog, { key, values, ranges }: FacetFilter): Matcher {
  const column = catalog.column(key);
  if (!column) return () => false;
  const hasValue = column.matcher({ oneOf: values });
  const { numberAt } = column;
  if (!numberAt || ranges.length === 0) return hasValue;
  return (itemIndex) => {
    const number = numberAt(itemIndex);
    return ranges.some((range) => isWithin(number, range)) || hasValue(itemIndex);
  };
}
