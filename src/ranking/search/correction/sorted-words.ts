/**
 * The distinct words of an index in alphabetical order, for walks by prefix and by edit distance.
 *
 * New words wait in a short list and join the long one when the index merges, in slices, so a write
 * costs a small sort.
 */

import type { Words } from '../index/words.ts';
import { finish } from '../slices.ts';

/** Words in ascending order of UTF-16 code units. */
export type WordList = {
  readonly words: readonly string[];
  /** The code units of all words; word i begins at starts[i]. */
  readonly codes: Uint16Array;
  readonly starts: Int32Array;
  /** Units that word i shares with the one before it, at most 255. */
  readonly shared: Uint8Array;
  /** The first word after word i that shares fewer units than it, else the number of words. */
  readonly next: Int32Array;
};

/** The words with numbers below `wordCount`, ascending, without repeats. */
export type SortedList = { words: readonly string[]; wordCount: number };

export type SortedWords = ReturnType<typeof createSortedWords>;

function sharedLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length, 255);
  let length = 0;
  while (length < end && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

/** Words handled between two yields: about 1 ms. */
const wordsPerSlice = 4_000;

/** @param words ascending, without repeats */
export function createWordList(words: readonly string[]): WordList {
  return finish(makeWordList(words));
}

function* makeWordList(words: readonly string[]): Generator<void, WordList> {
  const starts = new Int32Array(words.length + 1);
  for (let i = 0; i < words.length; i++) starts[i + 1] = starts[i] + words[i].length;
  const codes = new Uint16Array(starts[words.length]);
  const shared = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) {
    for (let at = 0; at < words[i].length; at++) codes[starts[i] + at] = words[i].charCodeAt(at);
    if (i > 0) shared[i] = sharedLength(words[i - 1], words[i]);
    if (i % wordsPerSlice === wordsPerSlice - 1) yield;
  }
  const next = new Int32Array(words.length);
  for (let i = words.length - 1; i >= 0; i--) {
    let after = i + 1;
    while (after < words.length && shared[after] >= shared[i]) after = next[after];
    next[i] = after;
    if (i % wordsPerSlice === 0) yield;
  }
  return { words, codes, starts, shared, next };
}

/** Words that a query may read anew: it must not wait for a large load. */
const mostRead = 2_000;

function* mergeSorted(a: readonly string[], b: readonly string[]): Generator<void, readonly string[]> {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
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

function* mergeAll(parts: readonly (readonly string[])[]): Generator<void, readonly string[]> {
  let left = parts;
  while (left.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let i = 0; i < left.length; i += 2)
      merged.push(i + 1 < left.length ? yield* mergeSorted(left[i], left[i + 1]) : left[i]);
    left = merged;
  }
  return left[0] ?? [];
}

export function createSortedWords(words: Words) {
  let settled = createWordList([]);
  let recent = createWordList([]);
  /** Words that joined the recent list after the running `all` chose its words. */
  let late: readonly string[] = [];
  let read = 0;

  /** Returns the next new words, ascending. */
  const readNext = (): string[] => {
    const added: string[] = [];
    const end = Math.min(words.wordCount, read + mostRead);
    for (; read < end; read++) {
      const surface = words.surfaceAt(read);
      if (words.firstOf(surface) === read) added.push(surface);
    }
    return added.sort((a, b) => (a < b ? -1 : 1));
  };

  return {
    /** Returns lists without common entries that together have every word. */
    lists(): readonly WordList[] {
      const added = read < words.wordCount ? readNext() : [];
      if (added.length > 0) {
        recent = createWordList(finish(mergeSorted(recent.words, added)));
        late = finish(mergeSorted(late, added));
      }
      return [settled, recent];
    },
    /** Returns every word in one list, made in slices. */
    *all(): Generator<void, SortedList> {
      const parts = [recent.words];
      late = [];
      // Words that are added meanwhile wait for the next merge; otherwise a busy writer would keep
      // this one from finishing.
      const end = words.wordCount;
      while (read < end) {
        parts.push(readNext());
        yield;
      }
      // Words that queries read in between belong to it too.
      parts.push(late);
      late = [];
      const wordCount = read;
      const sorted = yield* mergeSorted(settled.words, yield* mergeAll(parts));
      const list = yield* makeWordList(sorted);
      settled = list;
      recent = createWordList(late);
      late = [];
      return { words: sorted, wordCount };
    },
    /** Takes a saved list, before anything was read. In slices. */
    *restore(sorted: SortedList): Generator<void> {
      settled = yield* makeWordList(sorted.words);
      read = sorted.wordCount;
    },
  };
}

/**
 * Returns the position of the first word not below `prefix`; with `after`, of the first word beyond
 * those that begin with it.
 */
export function lowerBound(sorted: readonly string[], prefix: string, after = false, from = 0): number {
  let low = from;
  let high = sorted.length;
  // A range of words is mostly short: doubling steps find its end sooner than halving the rest.
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
