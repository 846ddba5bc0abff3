/**
 * Relevance tiers: hits of a higher tier always come first.
 *
 *   5 exact title      the folded title equals the folded query
 *   4 title phrase     the title has all words in order, with at most one other word in between; for a
 *                      query that is the name of a category instead: the item is in it
 *   3 title            the title has all words
 *   2 all words        the item has all words, at least one of them in a telling field (weight 0.1 and more)
 *   1 some words       by score alone
 *
 *   0 fused            the search has a vector: text and similarity decide together
 *
 * A word is found when any of its alternatives is. Unknown words are dropped before.
 */
import type { TextIndex } from '../index/index.ts';
import type { Title } from '../index/streams.ts';
import type { SlotsOfTerms } from '../slot.ts';

export const tiers = {
  exactTitle: 5,
  titlePhrase: 4,
  title: 3,
  allWords: 2,
  someWords: 1,
  fused: 0,
} as const;

export type Tier = (typeof tiers)[keyof typeof tiers];

/** Other words allowed within a phrase. */
const phraseSlack = 1;

export function hasTitlePhrase(
  { words }: TextIndex,
  { values, start, end }: Title,
  slotsOf: SlotsOfTerms,
  slotCount: number,
): boolean {
  const terms = words.termsOfWords();
  for (let from = start; from < end; from++) {
    let next = 0;
    for (let at = from; at < Math.min(end, from + slotCount + phraseSlack) && next < slotCount; at++) {
      const filled = slotsOf[terms[values[at]]];
      while (next < slotCount && ((filled >>> next) & 1) === 1) next += 1;
      if (at === from && next === 0) break;
    }
    if (next === slotCount) return true;
  }
  return false;
}
