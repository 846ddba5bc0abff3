/**
 * Finds all words of a sorted list within an edit distance, in one walk from left to right.
 *
 * Neighbours in the list share a prefix, and so the first rows of their distance matrix; a prefix
 * that is too far away is skipped with all its words. The walk visits a few per cent of a vocabulary
 * and, unlike an index of deletions (SymSpell), needs no memory and no update.
 *
 * Distance: insertion, deletion, substitution, and transposition of neighbours (optimal string
 * alignment), in UTF-16 code units.
 */
import type { WordList } from './sorted-words.ts';

export type FuzzyWalk = {
  query: string;
  /** 0…3. */
  maxDistance: number;
  /** Compares the query with prefixes of words instead of whole words, and visits the nearest prefixes. */
  prefix?: boolean;
  visit: (word: string, distance: number) => void;
};

export function createFuzzyWalker() {
  const rows = createDistanceRows();

  /**
   * Fills the rows after `from`. Returns the depth at which the word went out of reach, else its
   * length plus 1.
   */
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
    walk(
      { words, codes, starts, shared, next }: WordList,
      { query: typed, maxDistance, prefix = false, visit }: FuzzyWalk,
    ): void {
      rows.begin(typed);
      /** Rows that are right for the next word, as far as it shares the letters. */
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
        // Words with this prefix are as far away; in prefix mode they have the same prefixes within
        // reach.
        const skips = !isWhole;
        at += 1;
        if (skips) while (at < words.length && shared[at] >= stop) at = next[at];
      }
    },
  };
}

/** Longer words are cut; 64 is the longest word of an index. */
const longest = 68;

function createDistanceRows() {
  const width = longest + 1;
  /** Row d: distances of the first d letters of the word to each prefix of the query. */
  const rows = new Uint8Array(width * width);
  const rowMinima = new Uint8Array(width);
  /** The least distance of the query to any prefix up to row d. */
  const prefixMinima = new Uint8Array(width);

  const query = new Uint16Array(width);
  let length = 0;

  /**
   * Fills the row of a letter of the word that begins at codes[start]; the rows before it must be
   * right. Only cells near the diagonal can be within reach; those beside the band count as
   * just out of it.
   */
  const fill = (codes: Uint16Array, start: number, depth: number, maxDistance: number): void => {
    const row = depth * width;
    const before = row - width;
    const beyond = maxDistance + 1;
    const letter = codes[start + depth - 1];
    const letterBefore = depth > 1 ? codes[start + depth - 2] : -1;
    const from = Math.max(1, depth - maxDistance);
    const to = Math.min(length, depth + maxDistance);
    rows[row + from - 1] = from === 1 ? Math.min(depth, beyond) : beyond;
    if (depth + maxDistance <= length) rows[before + to] = beyond;
    let least = from === 1 ? depth : beyond;
    for (let j = from; j <= to; j++) {
      const asked = query[j - 1];
      let distance = rows[before + j - 1] + (letter === asked ? 0 : 1);
      if (rows[before + j] < distance) distance = rows[before + j] + 1;
      if (rows[row + j - 1] < distance) distance = rows[row + j - 1] + 1;
      if (letterBefore === asked && j > 1 && letter === query[j - 2]) {
        const swapped = rows[before - width + j - 2] + 1;
        if (swapped < distance) distance = swapped;
      }
      rows[row + j] = distance;
      if (distance < least) least = distance;
    }
    rowMinima[depth] = least;
    const whole = to === length && from <= to ? rows[row + to] : beyond;
    prefixMinima[depth] = Math.min(prefixMinima[depth - 1], whole);
  };

  return {
    begin(typed: string): void {
      length = Math.min(typed.length, longest - 4);
      for (let j = 0; j < length; j++) query[j] = typed.charCodeAt(j);
      for (let j = 0; j <= length; j++) rows[j] = j;
      rowMinima[0] = 0;
      prefixMinima[0] = length;
    },
    fill,
    /** Returns the least distance in a row. */
    leastOf: (depth: number): number => rowMinima[depth],
    /** Returns the distance of the query to a whole word of this length. */
    wholeDistance: (wordLength: number, maxDistance: number): number =>
      Math.abs(wordLength - length) > maxDistance ? maxDistance + 1 : rows[wordLength * width + length],
    /** Returns the least distance of the query to any prefix of up to `depth` letters. */
    prefixDistance: (depth: number): number => prefixMinima[depth],
    /** Returns the length of the shortest prefix, of up to `depth` letters, that is nearest to the query. */
    bestBeginning(depth: number): number {
      let best = depth;
      while (best > 0 && prefixMinima[best - 1] === prefixMinima[depth]) best -= 1;
      return best;
    },
  };
}
