/**
 * All words of a sorted list within an edit distance, in one walk from left to right.
 *
 * Neighbours in the list share a prefix, and so the first rows of their distance matrix; a prefix that is too far away already
 * is skipped with all its words. That visits a few per cent of a vocabulary and, other than an index of
 * deletions (SymSpell), needs no memory and no update.
 */
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

/** Words this much longer than any query are cut; 64 is the longest word of an index. */
export const longest = 68;

export type DistanceRows = {
  begin(typed: string): void;
  /** Fills the row of a letter of the word that starts at codes[start]; the rows before it are right. */
  fill(codes: Uint16Array, start: number, depth: number, maxDistance: number): void;
  /** The least distance in a row. */
  leastOf(depth: number): number;
  /** Of the query to a whole word of so many letters. */
  wholeDistance(wordLength: number, maxDistance: number): number;
  /** The least distance of the whole query to any beginning of up to so many letters. */
  prefixDistance(depth: number): number;
  /** Length of the shortest beginning, of those up to `depth`, that is nearest to the whole query. */
  bestBeginning(depth: number): number;
};

export function createDistanceRows(): DistanceRows {
  const width = longest + 1;
  /** Row d: distances of the first d letters of the word to each beginning of the query. */
  const rows = new Uint8Array(width * width);
  const rowMinima = new Uint8Array(width);
  /** The least distance of the whole query to any beginning up to row d. */
  const prefixMinima = new Uint8Array(width);

  const query = new Uint16Array(width);
  let length = 0;

  /** Only cells near the diagonal can be within reach; those beside the band count as just out of it. */
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
    begin(typed) {
      length = Math.min(typed.length, longest - 4);
      for (let j = 0; j < length; j++) query[j] = typed.charCodeAt(j);
      for (let j = 0; j <= length; j++) rows[j] = j;
      rowMinima[0] = 0;
      prefixMinima[0] = length;
    },
    fill,
    leastOf: (depth) => rowMinima[depth],
    wholeDistance: (wordLength, maxDistance) =>
      Math.abs(wordLength - length) > maxDistance ? maxDistance + 1 : rows[wordLength * width + length],
    prefixDistance: (depth) => prefixMinima[depth],
    bestBeginning(depth) {
      let best = depth;
      while (best > 0 && prefixMinima[best - 1] === prefixMinima[depth]) best -= 1;
      return best;
    },
  };
}
