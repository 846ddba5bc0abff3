/** Why an item stands where it stands: every part of its score, and what was done to the query. */
import type { Contribution } from '../scoring/contributions.ts';
import type { Tier } from './tiers.ts';

export type SearchExplanation = {
  /** The words that were looked for, after correction. */
  words: string[];
  /** Typed words that the catalogue does not know. */
  dropped: string[];
  corrections: { from: string; to: string }[];
  tier: Tier;
  /** Orders the items of a tier; `text + feedback + prior + taste`. */
  score: number;
  /** The sum of the contributions. */
  text: number;
  contributions: Contribution[];
  /** What likeness to the first hits adds, for queries in prose. */
  feedback: number;
  prior: number;
  taste: number;
};
