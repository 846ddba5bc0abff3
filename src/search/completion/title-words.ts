/**
 * The words that complete a query, for the documents of one segment: a sorted list of words, the documents of each, and the
 * words of each document.
 *
 * Completed are the title and the declared properties; a document's words are one bag, so that `bosch drill` finds a drill
 * whose brand is a property. Entries lie in the order of words, and within a word by worth: those whose title begins with
 * the word first, then the popular ones.
 */
import { lowerBound } from '../correction/sorted-words.ts';
import type { Segment } from '../index/segment.ts';
import type { Words } from '../index/words.ts';
import { textFields, titleField } from '../settings.ts';
import { createRangeMaximum, type RangeMaximum } from './range-maximum.ts';

/** Calls back with each completed word of a document, with its place in the title or -1. */
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

export type TitleWords = {
  segment: Segment;
  /** Ascending. */
  words: readonly string[];
  /** Entries of word r: entryStarts[r] … entryStarts[r + 1]. */
  entryStarts: Int32Array;
  /** Ordinal of each entry's document. */
  entries: Int32Array;
  worths: Float32Array;
  maximum: RangeMaximum;
  /** Ranks of document d: bagStarts[d] … bagStarts[d + 1]. */
  bagStarts: Int32Array;
  bags: Int32Array;
};

/** Documents or words handled between two yields: about 2 ms. */
const itemsPerSlice = 5_000;
/** Popularity is told apart in so many steps. */
const popularitySteps = 256;

/** Rank of each word number in the sorted list. */
function* ranksOf(sorted: readonly string[], words: Words): Generator<void, Int32Array> {
  const ranks = new Int32Array(words.wordCount).fill(-1);
  for (let rank = 0; rank < sorted.length; rank++) {
    for (const word of words.find(sorted[rank])) ranks[word] = rank;
    if (rank % itemsPerSlice === itemsPerSlice - 1) yield;
  }
  return ranks;
}

type Bags = Pick<TitleWords, 'bagStarts' | 'bags'> & { isFirst: Uint8Array };

/** The distinct ranks of every document, and whether the title begins with it. */
function* readBags(segment: Segment, ranks: Int32Array, fieldCount: number): Generator<void, Bags> {
  const bagStarts = new Int32Array(segment.docCount + 1);
  const bags = new Int32Array(segment.streams.length);
  const isFirst = new Uint8Array(segment.streams.length);
  const seenIn = new Int32Array(ranks.length).fill(-1);
  let count = 0;
  for (let ordinal = 0; ordinal < segment.docCount; ordinal++) {
    visitBag(segment, ordinal, fieldCount, (word, place) => {
      const rank = ranks[word];
      if (rank < 0 || seenIn[rank] === ordinal) return;
      seenIn[rank] = ordinal;
      isFirst[count] = Number(place === 0);
      bags[count++] = rank;
    });
    bagStarts[ordinal + 1] = count;
    if (ordinal % itemsPerSlice === itemsPerSlice - 1) yield;
  }
  return { bagStarts, bags: bags.slice(0, count), isFirst };
}

export type TitleWordsOptions = {
  segment: Segment;
  /** Every word of the index, ascending. */
  sorted: readonly string[];
  words: Words;
  fieldCount: number;
  /** 0…1 by item position. */
  popularity: (itemIndex: number) => number;
};

/** Popularity of every document in steps, and the documents by descending popularity. */
function* byPopularity(
  { docCount, itemOf }: Segment,
  popularity: (itemIndex: number) => number,
): Generator<void, { steps: Uint8Array; order: Int32Array }> {
  const steps = new Uint8Array(docCount);
  const starts = new Int32Array(popularitySteps + 1);
  for (let ordinal = 0; ordinal < docCount; ordinal++) {
    const popular = Math.min(1, Math.max(0, popularity(itemOf[ordinal])));
    steps[ordinal] = Math.round(popular * (popularitySteps - 1));
    starts[popularitySteps - steps[ordinal]] += 1;
    if (ordinal % itemsPerSlice === itemsPerSlice - 1) yield;
  }
  for (let step = 1; step <= popularitySteps; step++) starts[step] += starts[step - 1];
  const order = new Int32Array(docCount);
  for (let ordinal = 0; ordinal < docCount; ordinal++)
    order[starts[popularitySteps - 1 - steps[ordinal]]++] = ordinal;
  return { steps, order };
}

/** Builds in slices. Documents are entered by popularity, first under the first words of their titles, so nothing is sorted. */
export function* buildTitleWords(options: TitleWordsOptions): Generator<void, TitleWords> {
  const { segment, sorted, words, fieldCount, popularity } = options;
  const ranks = yield* ranksOf(sorted, words);
  const { bagStarts, bags, isFirst } = yield* readBags(segment, ranks, fieldCount);
  const { steps, order } = yield* byPopularity(segment, popularity);
  const entryStarts = new Int32Array(sorted.length + 1);
  for (const rank of bags) entryStarts[rank + 1] += 1;
  for (let rank = 0; rank < sorted.length; rank++) entryStarts[rank + 1] += entryStarts[rank];
  yield;
  const next = entryStarts.slice();
  const entries = new Int32Array(bags.length);
  const worths = new Float32Array(bags.length);
  for (const first of [1, 0]) {
    for (let i = 0; i < order.length; i++) {
      const ordinal = order[i];
      for (let at = bagStarts[ordinal]; at < bagStarts[ordinal + 1]; at++) {
        if (isFirst[at] !== first) continue;
        const place = next[bags[at]]++;
        entries[place] = ordinal;
        worths[place] = first + steps[ordinal] / (popularitySteps - 1);
      }
      if (i % itemsPerSlice === itemsPerSlice - 1) yield;
    }
  }
  const maximum = createRangeMaximum(worths);
  return { segment, words: sorted, entryStarts, entries, worths, maximum, bagStarts, bags };
}

/** Ranks [from, to) of the words that begin with a prefix. */
export function prefixRange({ words }: TitleWords, prefix: string): [from: number, to: number] {
  return [lowerBound(words, prefix), lowerBound(words, prefix, true)];
}
