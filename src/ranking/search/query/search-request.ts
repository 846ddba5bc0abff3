/** What a search is asked and what it answers. */

import type { Contribution } from '../scoring/contributions.ts';
import type { Alternative } from '../slot.ts';
import type { NextOf } from './distinct-hits.ts';
import type { GroupValue } from './grouped-lists.ts';
import type { Hit, ItemWorth } from './hits.ts';
import type { Conditions } from './item-tests.ts';
import type { RefinedList, Refinement } from './refinement.ts';
import type { Tier } from './tiers.ts';

export type SearchRequest = Conditions & {
  /** What was typed; empty for the visitor's best items. */
  q: string;
  /** Whether words that the catalogue does not know are corrected [true]. */
  autocorrect?: boolean;
  /** Fields whose values make the lists; none: one list. */
  groupBy?: readonly string[];
  /** Items of a list, at most 1,000. */
  listSize: number;
  /** At most 100 [4]. */
  listCount?: number;
  /** Asks for one list of everything that is found; not together with `groupBy`. */
  refinement?: Refinement;
  /** Popularity and freshness, 0…1. */
  prior?: ItemWorth;
  /** The visitor's own liking, 0…1. */
  taste?: ItemWorth;
  /** Of groups with an order. */
  nextInGroup?: NextOf;
  /** Given the query that is used: how much more (or less) than expected its finders clicked an item, -1…1. */
  clicksOf?: (query: string) => ItemWorth | undefined;
};

export type ResultList = { values: GroupValue[]; name: string; items: Hit[] };

export type SearchResult = {
  /** In the order of their best items; none when nothing is found. */
  lists: ResultList[];
  /** Whether the query finds anything, on this page or another, picked or not. */
  isFound: boolean;
  /** The query that was used, when it is not the typed one. */
  correctedQuery?: string;
  /** The item whose id or folded title is the query. */
  perfectMatch?: number;
  /** Of a refined search. */
  refined?: Pick<RefinedList, 'facets' | 'totalSize'>;
  /** Typed words that the catalogue does not know. */
  droppedWords: string[];
};

export type CompletionRequest = Conditions & {
  q: string;
  /** At most 100. */
  limit: number;
  /** Most edits per word, 0…2 [0]. */
  fuzziness?: number;
  taste?: ItemWorth;
  /** Of groups with an order. */
  nextInGroup?: NextOf;
};

export function isBrowse({ q }: SearchRequest): boolean {
  return q.trim() === '';
}

/** A whole number from 0 to `most`; NaN is 0. */
export function bounded(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.floor(value) || 0));
}

export type SearchExplanation = {
  /** The words that were looked for, after correction. */
  words: string[];
  /** Typed words that the catalogue does not know. */
  dropped: string[];
  corrections: { from: string; to: string }[];
  tier: Tier;
  /** Orders the items of a tier; `text + feedback + prior + taste + clicks`. */
  score: number;
  /** The sum of the contributions. */
  text: number;
  contributions: Contribution[];
  /** What likeness to the first hits adds, for queries in prose. */
  feedback: number;
  prior: number;
  taste: number;
  clicks: number;
};

/** How a query was understood, and what its words add to an item. */
export type QueryExplanation = {
  /** The query that was used: the corrected one, or the typed one. */
  query: string;
  /** The words that were looked for, with what may stand for each. */
  words: { word: string; alternatives: { kind: Alternative['kind']; text: string; weight: number }[] }[];
  dropped: string[];
  corrections: { from: string; to: string }[];
  /** None for an item that has none of the words. */
  contributionsOf(itemIndex: number): Contribution[];
};
