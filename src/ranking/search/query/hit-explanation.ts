/** Why an item stands where it stands: every part of its score, and what was done to the query. */
import type { Contribution } from '../scoring/contributions.ts';
import type { Alternative } from '../slot.ts';
import type { Tier } from './tiers.ts';

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
