/**
 * All words of a sorted list within an edit distance, in one walk from left to right.
 *
 * Neighbours in the list share a prefix, and so the first rows of their distance matrix; a prefix that is too far away already
 * is skipped with all its words. That visits a few per cent of a vocabulary and, other than an index of
 * deletions (SymSpell), needs no memory and no update.
 */
import { createDistanceRows, longest } from './distance-rows.ts';
import type { WordList } from './sorted-words.ts';

export type FuzzyWalk = {
  query: string;
  /** 0…3. */
  maxDistance: number;
  /** Compare the query with beginnings of words instead of whole words: what is visited are the nearest beginnings. */
  prefix?: boolean;
  visit: (word: string, distance: number) => void;
};

export type FuzzyWalker = {
  walk(list: WordList, options: FuzzyWalk): void;
};

export function createFuzzyWalker(): FuzzyWalker {
  const rows = createDistanceRows();

  /** Fills the rows after `from`; returns the depth at which the word went out of reach, else its length plus 1. */
  const fillRows = (
    codes: Uint16Array,
    start: number,
    end: number,
    from: number,
    maxDistance: number,
  ): number => {
    const depths = Math.min(end - start, longest);
    for (let depth = from + 1; depth <= depths; depth++) {
      rows.fill(codes, start, depth, maxDistance);
      // A transposition reaches two rows back and costs one.
      if (rows.leastOf(depth) > maxDistance && rows.leastOf(depth - 1) >= maxDistance) return depth;
    }
    return depths + 1;
  };

  return {
    walk({ words, codes, starts, shared }, { query: typed, maxDistance, prefix = false, visit }) {
      rows.begin(typed);
      /** Rows that are right for the next word, when it shares that many letters. */
      let valid = 0;
      for (let at = 0; at < words.length; ) {
        const start = starts[at];
        const wordLength = Math.min(starts[at + 1] - start, longest);
        const stop = fillRows(codes, start, starts[at + 1], Math.min(valid, shared[at]), maxDistance);
        valid = Math.min(stop, wordLength);
        const isWhole = stop > wordLength;
        if (prefix && rows.prefixDistance(valid) <= maxDistance) {
          const length = rows.bestBeginning(valid);
          visit(words[at].slice(0, length), rows.prefixDistance(valid));
        } else if (!prefix && isWhole) {
          const distance = rows.wholeDistance(wordLength, maxDistance);
          if (distance <= maxDistance) visit(words[at], distance);
        }
        // What begins alike is as far away; in prefix mode it has the same beginnings within reach.
        const skips = !isWhole;
        at += 1;
        if (skips) while (at < words.length && shared[at] >= stop) at += 1;
      }
    },
  };
}
