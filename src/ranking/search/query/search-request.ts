/** Requests and results of a search index. */

import type { FindSimilar } from '../../vectors/item-vectors.ts';
import type { Contribution } from '../scoring/contributions.ts';
import type { Alternative } from '../slot.ts';
import type { NextOf } from './distinct-hits.ts';
import type { GroupValue } from './grouped-lists.ts';
import type { Hit, ItemWorth } from './hits.ts';
import type { Conditions } from './item-tests.ts';
import type { PriceWords } from './price-words.ts';
import type { RefinedList, Refinement } from './refinement.ts';

export type SearchRequest = Conditions & {
  /** The typed query; empty for the subject's best items. */
  q: string;
  /** Whether unknown words are corrected [true]. */
  autocorrect?: boolean;
  /** Field of the prices that words such as `under 50` filter by; absent: they are words. */
  priceField?: string;
  /** Fields that make the lists by their values; none: one list. */
  groupBy?: readonly string[];
  /** Items of a list, at most 1,000. */
  listSize: number;
  /** At most 100 [4]. */
  listCount?: number;
  /** Asks for one list with facets and pages; not together with `groupBy`. */
  refinement?: Refinement;
  /** Popularity and freshness, 0…1. */
  prior?: ItemWorth;
  /** The subject's taste, 0…1. */
  taste?: ItemWorth;
  /** Next item of an ordered group. */
  nextInGroup?: NextOf;
  /** Returns, for the query in use, how much more or less often than expected an item is clicked, -1…1. */
  clicksOf?: (query: string) => ItemWorth | undefined;
  /**
   * Finds at most `wanted` admitted items by similarity, to be mixed with the hits; not together with
   * `groupBy` or `refinement`.
   */
  findSimilar?: FindSimilar;
};

export type ResultList = {
  /** Empty for one list, and for the list of items without a value. */
  values: GroupValue[];
  /** Readable: `color: red, size: 42`. */
  name: string;
  items: Hit[];
};

export type SearchResult = {
  /** In the order of their best items. */
  lists: ResultList[];
  /** Whether the query finds anything, on any page, with or without filters. */
  isFound: boolean;
  /** The query in use, when it is not the typed one. */
  correctedQuery?: string;
  /** The words that became a filter; absent when nothing passes it. */
  interpreted?: PriceWords & { field: string };
  /** The item with the query as its ID or folded title. */
  perfectMatch?: number;
  /** Present for a refined search. */
  refined?: Pick<RefinedList, 'facets' | 'totalSize'>;
  /** Typed words that the catalogue does not know. */
  droppedWords: string[];
};

export type CompletionRequest = Conditions & {
  q: string;
  /** At most 100. */
  limit: number;
  /** Maximum edits per word, 0…2 [0]. */
  fuzziness?: number;
  taste?: ItemWorth;
  /** Next item of an ordered group. */
  nextInGroup?: NextOf;
};

export function isBrowse({ q }: SearchRequest): boolean {
  return q.trim() === '';
}

/** Returns a whole number from 0 to `most`; 0 for NaN. */
export function bounded(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.floor(value) || 0));
}

/** How a query is understood, and what its words add to an item. */
export type QueryExplanation = {
  /** The corrected query, or the typed one. */
  query: string;
  /** The words that are searched, with their alternatives. */
  words: { word: string; alternatives: { kind: Alternative['kind']; text: string; weight: number }[] }[];
  dropped: string[];
  corrections: { from: string; to: string }[];
  /** Empty for an item without a word of the query. */
  contributionsOf(itemIndex: number): Contribution[];
};
