/**
 * Proposes the word of the catalogue that an unknown word was probably meant to be.
 *
 * Candidates are the catalogue's own words within an edit distance, ranked by a noisy channel:
 *
 *   score = 0.4 · ln(1 + frequency) - error cost + 1 [same last letter] + 0.9 [same consonants by ear] + 2 [same letters]
 *
 * Words with digits are neither corrected nor proposed. Callers leave known words alone.
 */
import { hasDigit } from '../analysis/tokens.ts';
import { createFuzzyWalker } from './edit-distance.ts';
import { errorCost, soundOf } from './error-model.ts';
import type { SortedWords } from './sorted-words.ts';

export type CorrectionOptions = {
  words: Pick<SortedWords, 'lists'>;
  /** Items that have the word, and successful searches for it; 0 when it must not be proposed. */
  frequencyOf: (word: string) => number;
};

export type Candidate = { word: string; distance: number; frequency: number; score: number };

export type Corrector = ReturnType<typeof createCorrector>;

const shortestCorrected = 3;
const longestCorrected = 32;
/** Fitted together with the costs of error-model.ts; 0.3 to 0.4 were equally good. */
export const frequencyWeight = 0.4;
const lastLetterWeight = 1;
const soundWeight = 0.9;
const sameLettersWeight = 2;

/** Short words have many neighbours, long ones few. */
function usualDistance(word: string): number {
  if (word.length <= 3) return 1;
  return word.length <= 8 ? 2 : 3;
}

/** From this length on, a word without neighbours is compared at one edit more. */
const longEnoughForMore = 7;

type TypedWord = { text: string; sound: string; letters: string };

/** Equal for words of the same letters in another order. */
function sortedLetters(word: string): string {
  return [...word].sort().join('');
}

export function createCorrector({ words, frequencyOf }: CorrectionOptions) {
  const walker = createFuzzyWalker();

  const scoreOf = (typed: TypedWord, word: string, frequency: number): number =>
    frequencyWeight * Math.log1p(frequency) -
    errorCost(typed.text, word) +
    (word.at(-1) === typed.text.at(-1) ? lastLetterWeight : 0) +
    (soundOf(word) === typed.sound ? soundWeight : 0) +
    (sortedLetters(word) === typed.letters ? sameLettersWeight : 0);

  const wordsWithin = (typed: TypedWord, maxDistance: number): Candidate[] => {
    const found: Candidate[] = [];
    const visit = (word: string, distance: number): void => {
      if (word.length < 2 || hasDigit(word)) return;
      const frequency = frequencyOf(word);
      if (frequency > 0) found.push({ word, distance, frequency, score: scoreOf(typed, word, frequency) });
    };
    for (const sorted of words.lists()) walker.walk(sorted, { query: typed.text, maxDistance, visit });
    return found;
  };

  return {
    /** Returns the likeliest words, best first; none for words that are never corrected. */
    candidates(text: string, limit = 5): Candidate[] {
      if (text.length < shortestCorrected || text.length > longestCorrected || hasDigit(text)) return [];
      const typed = { text, sound: soundOf(text), letters: sortedLetters(text) };
      const maxDistance = usualDistance(text);
      let found = wordsWithin(typed, maxDistance);
      if (found.length === 0 && maxDistance < 3 && text.length >= longEnoughForMore)
        found = wordsWithin(typed, maxDistance + 1);
      return found.sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1)).slice(0, limit);
    },
  };
}
