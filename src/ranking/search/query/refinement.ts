/** One list of all that a query finds, with facets, filters by them, another order, and pages. */
import type { Catalog } from '../../catalog/catalog.ts';
import { grown } from '../../catalog/growth.ts';
import type { TextIndex } from '../index/index.ts';
import type { Slot } from '../slot.ts';
import { createFacets, type Facet, type FacetFilter, type FacetRequest } from './facets.ts';
import {
  bestItems,
  bestOfGroups,
  createFoundSets,
  type FoundSet,
  type ItemOrder,
  sortedItems,
} from './found-set.ts';
import { type Hit, type ItemWorth, mostHits, unrankedHit } from './hits.ts';
import type { AdmittedItems, ItemTests } from './item-tests.ts';

export type Refinement = {
  facets: readonly FacetRequest[];
  filters: readonly FacetFilter[];
  /** Absent: best first. */
  orderBy?: ItemOrder;
  /** Number of items that are skipped. */
  offset: number;
};

/** A group counts as one item, in facets too. */
export type RefinedList = {
  items: Hit[];
  facets: Facet[];
  totalSize: number;
  /** Whether the query finds anything, with or without filters. */
  isFound: boolean;
  /** Returns the best item, whatever the order and the page; valid until the next call. */
  firsts(): Hit[];
};

export type RefinementRequest = Refinement & {
  isBrowse: boolean;
  /** The corrected query, or the typed one. */
  query: string;
  slots: readonly Slot[];
  admitted: AdmittedItems;
  listSize: number;
  prior?: ItemWorth;
  /** All hits, best first, instead of those that the words find. */
  hits?: readonly Hit[];
  /**
   * Returns the best hits among the admitted items, one of each group; a short list is the
   * beginning of a long one.
   */
  find(admits: (itemIndex: number) => boolean, wanted: number): readonly Hit[];
};

export type RefinementOptions = { index: TextIndex; catalog: Catalog; tests: ItemTests };

export function createRefiner({ index, catalog, tests }: RefinementOptions) {
  const foundSets = createFoundSets({ index, catalog });
  const facets = createFacets(catalog, tests);
  let stamps = new Int32Array(0);
  let stamp = 0;

  const memberTest = (set: FoundSet): ((itemIndex: number) => boolean) => {
    const { among } = set;
    if (set.count === among.count) return (itemIndex) => among.bytes[itemIndex] === 1;
    stampAll(set);
    return isStamped;
  };

  const isStamped = (itemIndex: number): boolean => stamps[itemIndex] === stamp;

  const stampAll = ({ items, count }: FoundSet): void => {
    stamps = grown(stamps, catalog.itemCount, 0);
    stamp += 1;
    for (let i = 0; i < count; i++) stamps[items[i]] = stamp;
  };

  /** Removes the item and its group from the members. */
  const strike = (itemIndex: number): void => {
    const group = catalog.groups.of(itemIndex);
    if (group < 0) stamps[itemIndex] = 0;
    else for (const member of catalog.groups.membersOf(group)) stamps[member] = 0;
  };

  /** Returns the ranked hits, followed by the other items by popularity. */
  const ranked = (asked: RefinementRequest, left: FoundSet, end: number): readonly Hit[] => {
    const isMember = memberTest(left);
    const hits = asked.find(isMember, Math.min(mostHits, end));
    if (hits.length >= Math.min(end, left.count)) return hits;
    const { prior = () => 0 } = asked;
    stampAll(left);
    for (const { itemIndex } of hits) strike(itemIndex);
    const others = left.items.subarray(0, left.count).filter(isStamped);
    const best = bestOfGroups(catalog, { items: others, count: others.length }, prior);
    const rest = bestItems(catalog, best, end - hits.length, prior);
    return [...hits, ...Array.from(rest, unrankedHit)];
  };

  return (asked: RefinementRequest): RefinedList => {
    if (asked.hits) return refineHits(asked.hits, asked, { facets, memberTest });
    const found = foundSets.find(asked);
    const { left, facets: counted } = facets.read(found, asked.facets, asked.filters);
    const { orderBy, offset, listSize } = asked;
    const end = offset + listSize;
    const items = orderBy
      ? Array.from(sortedItems(catalog, left, orderBy, end).subarray(offset), unrankedHit)
      : ranked(asked, left, end).slice(offset, end);
    return {
      items,
      facets: counted,
      totalSize: bestOfGroups(catalog, left, () => 0).count,
      isFound: found.count > 0,
      firsts: () => asked.find(memberTest(left), 1).slice(0, 1),
    };
  };
}

type HitParts = {
  facets: ReturnType<typeof createFacets>;
  memberTest(set: FoundSet): (itemIndex: number) => boolean;
};

/** Refines hits that are all there is. */
function refineHits(
  hits: readonly Hit[],
  { admitted, facets: requests, filters, offset, listSize }: RefinementRequest,
  { facets, memberTest }: HitParts,
): RefinedList {
  const items = Int32Array.from(hits, ({ itemIndex }) => itemIndex).sort();
  const set = { items, count: items.length, among: admitted.showable };
  const { left, facets: counted } = facets.read(set, requests, filters);
  const isLeft = memberTest(left);
  const kept = hits.filter(({ itemIndex }) => isLeft(itemIndex));
  return {
    items: kept.slice(offset, offset + listSize),
    facets: counted,
    totalSize: kept.length,
    isFound: hits.length > 0,
    firsts: () => kept.slice(0, 1),
  };
}
