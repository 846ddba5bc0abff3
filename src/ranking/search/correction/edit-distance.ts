/**
 * Finds all words of a sorted list within an edit distance, in one walk from left to right.
 *
 * Neighbours in the list share a prefix, and so the first rows of their distance matrix; a prefix
 * that is too far away is skipped with all its words. The walk visits a few per cent of a vocabulary
 * and, unlike an index of deletions (SymSpell), needs no memory and no update. A row is computed in
 * two integers, as in Wu and Manber, "Fast text searching allowing errors" (CACM 1992).
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

/** Longer words are cut; 64 is the longest word of an index. */
const longest = 68;
const longestQuery = longest - 4;
const width = longest + 1;

const levelBits = 8;
/** Copies the bits of level 0 to every level. */
const everyLevel = 0x01010101;

export function createFuzzyWalker() {
  const rows = createDistanceRows();

  return {
    walk(
      { words, codes, starts, shared, next }: WordList,
      { query, maxDistance, prefix = false, visit }: FuzzyWalk,
    ): void {
      rows.begin(query, maxDistance);
      /** Rows that are right for the next word, as far as it shares the letters. */
      let valid = 0;
      for (let at = 0; at < words.length; ) {
        const start = starts[at];
        const length = Math.min(starts[at + 1] - start, longest);
        valid = rows.fill(codes, start, Math.min(valid, shared[at]), length);
        const isWhole = !rows.isBeyond(valid);
        if (prefix) {
          const { distance, depth } = nearestPrefix(rows.distanceAt, valid);
          if (distance <= maxDistance) visit(words[at].slice(0, depth), distance);
        } else if (isWhole) {
          const distance = rows.distanceAt(length);
          if (distance <= maxDistance) visit(words[at], distance);
        }
        at += 1;
        // Words with this prefix are as far away; in prefix mode they have the same prefixes within
        // reach.
        if (!isWhole) while (at < words.length && shared[at] >= valid) at = next[at];
      }
      rows.end(query);
    },
  };
}

/** Returns the shortest prefix, of up to `longestPrefix` letters, that is nearest to the query. */
function nearestPrefix(distanceAt: (depth: number) => number, longestPrefix: number) {
  let best = { depth: 0, distance: distanceAt(0) };
  for (let depth = 1; depth <= longestPrefix; depth++) {
    const distance = distanceAt(depth);
    if (distance < best.distance) best = { depth, distance };
  }
  return best;
}

/**
 * Row d has the distances of the first d letters of a word to each prefix of the query that is at most
 * `maxDistance` letters longer or shorter; others are farther away. Level e of a row, 8 bits from 8e,
 * has a bit for each distance of at most e: bit p for the prefix of d + p - maxDistance letters.
 */
function createDistanceRows() {
  const within = new Int32Array(width);
  /** Distances one row back that a transposition extends if the next letter fits. */
  const swaps = new Int32Array(width);
  const letters = createLetters();
  const { letterOf, fits } = letters;
  let length = 0;
  let maxDistance = 0;
  let allBits = 0;

  const distanceAt = (depth: number): number => {
    const bit = length - depth + maxDistance;
    if (bit < 0 || bit > 2 * maxDistance) return maxDistance + 1;
    let distance = 0;
    while (distance <= maxDistance && ((within[depth] >>> (levelBits * distance + bit)) & 1) === 0)
      distance += 1;
    return distance;
  };

  return {
    begin(query: string, farthest: number): void {
      length = Math.min(query.length, longestQuery);
      maxDistance = farthest;
      const bits = (1 << (2 * maxDistance + 1)) - 1;
      allBits = 0;
      within[0] = 0;
      for (let level = 0; level <= maxDistance; level++) {
        allBits |= bits << (levelBits * level);
        within[0] |= ((2 << level) - 1) << (levelBits * level + maxDistance);
      }
      letters.number(query, length, maxDistance);
    },
    end: (query: string): void => letters.forget(query, length),
    /**
     * Fills the rows after `from` for the word that begins at codes[start]. Returns the first row out of
     * reach, else `wordLength`.
     */
    fill(codes: Uint16Array, start: number, from: number, wordLength: number): number {
      let row = within[from];
      let swap = swaps[from];
      let depth = from;
      while (depth < wordLength && (row | swap) !== 0) {
        depth += 1;
        const fit = fits[letterOf[codes[start + depth - 1]] * width + depth];
        // A letter that fits; one substituted, or too many in the word; two swapped; one too few.
        let next = (row & fit) | ((row | (row >>> 1) | (swap & (fit << 1))) << levelBits);
        next &= allBits;
        for (let edit = 0; edit < maxDistance; edit++) next |= (next << (levelBits + 1)) & allBits;
        swap = row & (fit >>> 1) & (allBits >>> levelBits);
        row = next;
        within[depth] = row;
        swaps[depth] = swap;
      }
      return depth;
    },
    /** Whether no word that begins with the letters of a row is within reach. */
    isBeyond: (depth: number): boolean => (within[depth] | swaps[depth]) === 0,
    /** Returns the distance of the query to the first `depth` letters, or maxDistance + 1. */
    distanceAt,
  };
}

function createLetters() {
  /** The number of a letter of the query, else 0. */
  const letterOf = new Uint8Array(0x1_0000);
  /** For each letter of the query and row, in every level: the prefixes that end with the letter. */
  const fits = new Int32Array(width * (longestQuery + 1));
  return {
    letterOf,
    fits,
    number(query: string, length: number, maxDistance: number): void {
      let letters = 0;
      for (let at = 0; at < length; at++) {
        const code = query.charCodeAt(at);
        if (letterOf[code] === 0) {
          letterOf[code] = ++letters;
          fits.fill(0, letters * width, (letters + 1) * width);
        }
        const first = Math.max(1, at + 1 - maxDistance);
        for (let depth = first; depth <= Math.min(longest, at + 1 + maxDistance); depth++)
          fits[letterOf[code] * width + depth] |= everyLevel << (at + 1 - depth + maxDistance);
      }
    },
    forget(query: string, length: number): void {
      for (let at = 0; at < length; at++) letterOf[query.charCodeAt(at)] = 0;
    },
  };
}
