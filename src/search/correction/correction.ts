/**
 * The word that was probably meant by one that the catalogue does not know.
 *
 * Candidates are the catalogue's own words within an edit distance; the noisy channel ranks them:
 *
 *   score = 0.6 · ln(1 + frequency) - 5 · error cost + 2 [same first letter] + 1.5 [same consonants]
 *
 * Words with digits are never corrected, nor to; a word the catalogue knows is left alone by the caller.
 */
import { hasDigit } from '../analysis/tokens.ts';
import { errorCost, skeleton } from './error-model.ts';
import { createFuzzyWalker } from './fuzzy-walk.ts';
import type { SortedWords } from './sorted-words.ts';

export type CorrectionOptions = {
  words: Pick<SortedWords, 'lists'>;
  /** How many items have the word, or how often it is used; 0 when it must not be proposed. */
  frequencyOf: (word: string) => number;
};

export type Candidate = { word: string; distance: number; score: number };

export type Corrector = {
  /** The likeliest words, best first; none for words that are never corrected. */
  candidates(word: string, limit?: number): Candidate[];
};

const shortestCorrected = 3;
const longestCorrected = 32;
/** Weights that were best, or within 0.01 of it, on both halves of two collections of misspellings. */
const frequencyWeight = 0.6;
const errorWeight = 5;
const firstLetterWeight = 2;
const skeletonWeight = 1.5;

/** Short words have many neighbours, long ones few: one edit up to four letters, two up to eight, else three. */
export function maxDistanceOf(word: string): number {
  if (word.length <= 3) return 1;
  return word.length <= 8 ? 2 : 3;
}

export function createCorrector({ words, frequencyOf }: CorrectionOptions): Corrector {
  const walker = createFuzzyWalker();

  const scoreOf = (typed: string, word: string, frequency: number): number =>
    frequencyWeight * Math.log1p(frequency) -
    errorWeight * errorCost(typed, word) +
    (word[0] === typed[0] ? firstLetterWeight : 0) +
    (skeleton(word) === skeleton(typed) ? skeletonWeight : 0);

  return {
    candidates(typed, limit = 5) {
      if (typed.length < shortestCorrected || typed.length > longestCorrected || hasDigit(typed)) return [];
      const found: Candidate[] = [];
      const visit = (word: string, distance: number): void => {
        if (word.length < 2 || hasDigit(word)) return;
        const frequency = frequencyOf(word);
        if (frequency > 0) found.push({ word, distance, score: scoreOf(typed, word, frequency) });
      };
      for (const sorted of words.lists())
        walker.walk(sorted, { query: typed, maxDistance: maxDistanceOf(typed), visit });
      return found.sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1)).slice(0, limit);
    },
  };
}
