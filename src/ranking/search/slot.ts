/** A slot is one word of a query, with the terms that fill it. */
import { grown } from '../catalog/growth.ts';
import { memoizeByObject } from '../runtime/cache.ts';
import type { Words } from './index/words.ts';

export type Alternative = {
  kind: keyof typeof worth;
  terms: readonly number[];
  /**
   * Several terms: side by side in this order, all of them anywhere, or any of them; `part`: any,
   * and a title with one does not count as a title with the word.
   */
  match: 'phrase' | 'all' | 'any' | 'part';
  /** The words that were looked up, for explanations. */
  text: string;
  /** Worth beside the typed word's, 0…1. */
  weight: number;
};

export type Slot = {
  /** The typed word, folded. */
  word: string;
  /** Better ones first; empty when the index knows none. */
  alternatives: Alternative[];
  /** The word with each typed neighbour that is no slot: `dr who`, `door in` and `in door`. */
  company?: readonly Pair[];
};

export type Pair = readonly [first: string, second: string];

/** Worth of each kind of alternative beside the typed word. */
export const worth = {
  word: 1,
  joined: 0.9,
  split: 0.8,
  synonym: 0.8,
  code: 0.8,
  compound: 0.7,
  apart: 0.5,
  part: 0.4,
  near: 0.3,
  prefix: 0.3,
} as const;

/** By term: the slots of a query that it fills, bit i for slot i; may be longer than the vocabulary. */
export type SlotsOfTerms = Int32Array;

/**
 * Returns the slots by term, valid until the next call for these words. Words that have a slot's word
 * as a part do not fill it. @param slots at most 32
 */
export function slotsOfTerms(words: Words, slots: readonly Slot[]): SlotsOfTerms {
  const last = lastMarked(words);
  last.bits = grown(last.bits, words.termCount);
  const { bits } = last;
  for (const term of last.terms) bits[term] = 0;
  last.terms.length = 0;
  for (const [slot, { alternatives }] of slots.entries()) {
    for (const { terms, match } of alternatives) {
      if (match === 'part') continue;
      for (const term of terms) bits[term] |= 1 << slot;
      last.terms.push(...terms);
    }
  }
  return bits;
}

/** The terms of the last query that have slots. */
const lastMarked = memoizeByObject((_: Words) => ({ bits: new Int32Array(0), terms: [] as number[] }));

/** Returns the number of the first slot of a non-empty set of bits. */
export function firstSlot(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
