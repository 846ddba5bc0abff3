/**
 * Completion data of one packed segment: a sorted list of words, the documents of each, and the
 * words of each document.
 *
 * It covers the title and the searched properties; a document's words are one bag, so that `bosch
 * drill` finds a drill with the brand in a property. Documents are numbered by popularity, the most
 * popular 0. An entry of a word is the document's number when the title begins with the word, else
 * docCount plus the number. Ascending is therefore best first, and a word's entries are two
 * ascending runs that can be intersected with those of other words.
 */
import { plainDecimal } from '../analysis/numbers.ts';
import { longestWord } from '../analysis/tokens.ts';
import { lowerBound, type SortedList } from '../correction/sorted-words.ts';
import type { SectionArray, Sections } from '../index/sections.ts';
import type { Segment } from '../index/segment.ts';
import { titleOf } from '../index/streams.ts';
import type { Words } from '../index/words.ts';
import { textFields, titleField } from '../settings.ts';
import { inSlices } from '../slices.ts';
import { createRangeMinimum, type RangeMinimum } from './range-minimum.ts';

/** Calls back with each completion word of a document, with its place in the title or -1. */
export function visitBag(
  segment: Segment,
  ordinal: number,
  fieldCount: number,
  visit: (word: number, titlePlace: number) => void,
): void {
  const { values } = segment.streams;
  let at = segment.streamStarts[ordinal];
  for (let field = 0; field < fieldCount; field++) {
    const end = at + 1 + values[at];
    const isTitle = field === titleField;
    if (isTitle || field >= textFields.length)
      for (let place = 0, word = at + 1; word < end; place++, word++)
        visit(values[word], isTitle ? place : -1);
    at = end;
  }
}

/**
 * Returns the place of the compound that a title begins with, after its parts: 2 in `spider man
 * spiderman 2002`, the stream of `Spider-Man (2002)`; 0 when the title begins with a single word.
 */
export function placeOfFirstWhole(segment: Segment, ordinal: number, words: Words): number {
  const { values, start, end } = titleOf(segment, ordinal);
  let length = 0;
  for (let at = start; at < end && length <= longestWord; at++) {
    const word = words.surfaceAt(values[at]);
    // `6x33cl` has one letter more than its two parts.
    if (at > start + 1 && (word.length === length || word.length === length + 1)) {
      const [first, ...others] = Array.from(values.subarray(start, at), (part) => words.surfaceAt(part));
      const parts = [plainDecimal(first), ...others];
      if (word === parts.join('') || word === parts.join('x')) return at - start;
    }
    length += at === start ? plainDecimal(word).length : word.length;
  }
  return 0;
}

/** The words of documents, independent of popularity. */
export type Bags = {
  /** All words of the index when the bags were read. */
  sorted: SortedList;
  /** Ranks of the words of a document: starts[ordinal] … starts[ordinal + 1] - 1. */
  starts: Int32Array;
  ranks: Int32Array;
  /** Whether the title begins with the word, as a part or as a whole. */
  isFirst: Uint8Array;
};

export type TitleWords = {
  docCount: number;
  /** Ascending. */
  words: readonly string[];
  /** Entries of word r: entryStarts[r] … entryStarts[r + 1] - 1. */
  entryStarts: Int32Array;
  entries: RangeMinimum;
  /** By document number. */
  ordinals: Int32Array;
  bags: Bags;
};

/** Documents or words handled between two yields: about 1 ms. */
const itemsPerSlice = 2_000;
/** Array entries handled between two yields by a trivial loop: about 1 ms. */
const entriesPerSlice = 200_000;
/** Steps of popularity that are distinguished. */
const popularitySteps = 256;

/** Returns the rank of each word number in the sorted list. */
function* ranksOf(sorted: readonly string[], words: Words): Generator<void, Int32Array> {
  const ranks = new Int32Array(words.wordCount).fill(-1);
  yield* inSlices(sorted.length, itemsPerSlice, (rank) => {
    for (const word of words.find(sorted[rank])) ranks[word] = rank;
  });
  return ranks;
}

/** Returns the documents by descending popularity, equal ones in order. */
function* byPopularity(
  { docCount, itemOf }: Segment,
  popularity: (itemIndex: number) => number,
): Generator<void, Int32Array> {
  const steps = new Uint8Array(docCount);
  const starts = new Int32Array(popularitySteps + 1);
  yield* inSlices(docCount, itemsPerSlice, (ordinal) => {
    const popular = Math.min(1, Math.max(0, popularity(itemOf[ordinal])));
    steps[ordinal] = Math.round(popular * (popularitySteps - 1));
    starts[popularitySteps - steps[ordinal]] += 1;
  });
  for (let step = 1; step <= popularitySteps; step++) starts[step] += starts[step - 1];
  const ordinals = new Int32Array(docCount);
  yield* inSlices(docCount, entriesPerSlice, (ordinal) => {
    ordinals[starts[popularitySteps - 1 - steps[ordinal]]++] = ordinal;
  });
  return ordinals;
}

export type BagsOptions = { segment: Segment; sorted: SortedList; words: Words; fieldCount: number };

/** Counts the words of documents, including repetitions. */
function* countWords(segment: Segment, fieldCount: number): Generator<void, number> {
  let count = 0;
  yield* inSlices(segment.docCount, itemsPerSlice, (ordinal) => {
    visitBag(segment, ordinal, fieldCount, () => {
      count += 1;
    });
  });
  return count;
}

/** Reads the distinct ranks of every document, in slices. */
export function* readBags({ segment, sorted, words, fieldCount }: BagsOptions): Generator<void, Bags> {
  const rankOf = yield* ranksOf(sorted.words, words);
  const starts = new Int32Array(segment.docCount + 1);
  const ranks = new Int32Array(yield* countWords(segment, fieldCount));
  const isFirst = new Uint8Array(ranks.length);
  const seenIn = new Int32Array(sorted.words.length).fill(-1);
  let count = 0;
  yield* inSlices(segment.docCount, itemsPerSlice, (ordinal) => {
    const wholeAt = placeOfFirstWhole(segment, ordinal, words);
    visitBag(segment, ordinal, fieldCount, (word, place) => {
      const rank = rankOf[word];
      if (rank < 0 || seenIn[rank] === ordinal) return;
      seenIn[rank] = ordinal;
      isFirst[count] = Number(place === 0 || place === wholeAt);
      ranks[count++] = rank;
    });
    starts[ordinal + 1] = count;
  });
  return { sorted, starts, ranks: ranks.subarray(0, count), isFirst: isFirst.subarray(0, count) };
}

function* startsOf(ranks: Int32Array, wordCount: number): Generator<void, Int32Array> {
  const starts = new Int32Array(wordCount + 1);
  yield* inSlices(ranks.length, entriesPerSlice, (at) => {
    starts[ranks[at] + 1] += 1;
  });
  for (let rank = 0; rank < wordCount; rank++) starts[rank + 1] += starts[rank];
  return starts;
}

/**
 * Enters documents by popularity, first under the first words of their titles, so nothing is
 * sorted. In slices.
 */
export function* orderTitleWords(
  segment: Segment,
  bags: Bags,
  /** 0…1 by item position. */
  popularity: (itemIndex: number) => number,
): Generator<void, TitleWords> {
  const { docCount } = segment;
  const { starts, ranks, isFirst } = bags;
  const { words } = bags.sorted;
  const ordinals = yield* byPopularity(segment, popularity);
  const entryStarts = yield* startsOf(ranks, words.length);
  yield;
  const next = entryStarts.slice();
  const tree = new Int32Array(ranks.length * 2);
  for (const first of [1, 0]) {
    yield* inSlices(docCount, itemsPerSlice, (number) => {
      const ordinal = ordinals[number];
      for (let at = starts[ordinal]; at < starts[ordinal + 1]; at++)
        if (isFirst[at] === first)
          tree[ranks.length + next[ranks[at]]++] = first === 1 ? number : docCount + number;
    });
  }
  const entries = yield* createRangeMinimum(tree);
  return { docCount, words, entryStarts, entries, ordinals, bags };
}

/** Returns the ranks [from, to) of the words with a prefix. */
export function prefixRange({ words }: TitleWords, prefix: string): [from: number, to: number] {
  const from = lowerBound(words, prefix);
  return [from, lowerBound(words, prefix, true, from)];
}

/** Words looked up between two yields: about 1 ms. */
const wordsPerSlice = 8_000;

export function* saveBags(
  { sorted, starts, ranks, isFirst }: Bags,
  words: Words,
): Generator<void, Record<string, SectionArray>> {
  const sortedWords = new Int32Array(sorted.words.length);
  yield* inSlices(sortedWords.length, wordsPerSlice, (rank) => {
    sortedWords[rank] = words.firstOf(sorted.words[rank]);
  });
  const sortedUntil = Int32Array.of(sorted.wordCount);
  return { sortedWords, sortedUntil, bagStarts: starts, bagRanks: ranks, bagFirsts: isFirst };
}

/** Returns undefined when nothing was packed when the snapshot was taken. */
export function* restoreBags(saved: Sections, words: Words): Generator<void, Bags | undefined> {
  const { sortedWords, sortedUntil, bagStarts, bagRanks, bagFirsts } = saved;
  if (!sortedWords) return undefined;
  const surfaces: string[] = [];
  for (const word of sortedWords) {
    surfaces.push(words.surfaceAt(word));
    if (surfaces.length % wordsPerSlice === 0) yield;
  }
  return {
    sorted: { words: surfaces, wordCount: sortedUntil[0] },
    starts: bagStarts as Int32Array,
    ranks: bagRanks as Int32Array,
    isFirst: bagFirsts as Uint8Array,
  };
}
