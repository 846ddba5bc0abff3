/** The words that complete queries as sections of a snapshot; their order is kept as word numbers, so that nothing is sorted again. */
import type { SectionArray, Sections } from '../index/sections.ts';
import type { Words } from '../index/words.ts';
import type { Bags } from './title-words.ts';

/** Words looked up between two yields: about 1 ms. */
const wordsPerSlice = 8_000;

export function* saveBags(
  { sorted, starts, ranks, isFirst }: Bags,
  words: Words,
): Generator<void, Record<string, SectionArray>> {
  const sortedWords = new Int32Array(sorted.words.length);
  for (let rank = 0; rank < sortedWords.length; rank++) {
    sortedWords[rank] = words.firstOf(sorted.words[rank]);
    if (rank % wordsPerSlice === wordsPerSlice - 1) yield;
  }
  const sortedUntil = Int32Array.of(sorted.wordCount);
  return { sortedWords, sortedUntil, bagStarts: starts, bagRanks: ranks, bagFirsts: isFirst };
}

/** Undefined when nothing was packed when the snapshot was taken. */
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
