/**
 * The distinct words of an index in alphabetical order, for walks by prefix and by edit distance.
 *
 * New words wait in a short list of their own and join the long one when there are enough of them, so that a write costs
 * a small sort and rarely a merge.
 */
import type { Words } from '../index/words.ts';

/** Words in ascending order of UTF-16 code units. */
export type WordList = {
  readonly words: readonly string[];
  /** The code units of all words in a row; word i begins at starts[i]. */
  readonly codes: Uint16Array;
  readonly starts: Int32Array;
  /** How many units word i shares with the one before it, at most 255. */
  readonly shared: Uint8Array;
};

export type SortedWords = {
  /** Lists without common entries; together every word. */
  lists(): readonly WordList[];
  /** Every word in one ascending array, made in slices. */
  all(): Generator<void, readonly string[]>;
};

function sharedLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length, 255);
  let length = 0;
  while (length < end && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** @param words ascending, without repeats */
export function createWordList(words: readonly string[]): WordList {
  const starts = new Int32Array(words.length + 1);
  for (let i = 0; i < words.length; i++) starts[i + 1] = starts[i] + words[i].length;
  const codes = new Uint16Array(starts[words.length]);
  const shared = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) {
    for (let at = 0; at < words[i].length; at++) codes[starts[i] + at] = words[i].charCodeAt(at);
    if (i > 0) shared[i] = sharedLength(words[i - 1], words[i]);
  }
  return { words, codes, starts, shared };
}

const mostRecent = 2_000;

const wordsPerSlice = 20_000;

function* mergeSorted(a: readonly string[], b: readonly string[]): Generator<void, string[]> {
  const merged: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (j >= b.length || (i < a.length && a[i] < b[j])) merged.push(a[i++]);
    else merged.push(b[j++]);
    if (merged.length % wordsPerSlice === 0) yield;
  }
  return merged;
}

/** The value of a generator, run without pauses. */
function finished<T>(slices: Generator<void, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

export function createSortedWords(words: Words): SortedWords {
  const known = new Set<string>();
  let settled = createWordList([]);
  let recent = createWordList([]);
  let read = 0;

  const readNew = (): void => {
    const added = [...recent.words];
    for (; read < words.wordCount; read++) {
      const surface = words.surfaceAt(read);
      if (known.has(surface)) continue;
      known.add(surface);
      added.push(surface);
    }
    added.sort((a, b) => (a < b ? -1 : 1));
    const settles = added.length > mostRecent;
    if (settles) settled = createWordList(finished(mergeSorted(settled.words, added)));
    recent = createWordList(settles ? [] : added);
  };

  const lists = (): WordList[] => {
    if (read < words.wordCount) readNew();
    return [settled, recent];
  };
  return {
    lists,
    *all() {
      const [long, short] = lists();
      return yield* mergeSorted(long.words, short.words);
    },
  };
}

/** Position of the first word that is not below `prefix`, or with `after` the first beyond all words that begin with it. */
export function lowerBound(sorted: readonly string[], prefix: string, after = false, from = 0): number {
  let low = from;
  let high = sorted.length;
  // A range of words is mostly short: doubling steps find its end sooner than halving all the rest.
  for (let step = 1; after && low + step < high; step *= 2) {
    if (!sorted[low + step].startsWith(prefix) && sorted[low + step] > prefix) {
      high = low + step;
      break;
    }
    low += step;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    const word = sorted[middle];
    if (word < prefix || (after && word.startsWith(prefix))) low = middle + 1;
    else high = middle;
  }
  return low;
}
