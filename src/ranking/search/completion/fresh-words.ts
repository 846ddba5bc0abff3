/**
 * Completions over the open segment: the counterpart of title words, with a sorted array that grows
 * by insertion.
 */
import { lowerBound } from '../correction/sorted-words.ts';
import type { Segment } from '../index/segment.ts';
import type { Words } from '../index/words.ts';
import { createTop } from '../scoring/top.ts';
import { visitBag } from './title-words.ts';

export type FreshWords = ReturnType<typeof createFreshWords>;

export type BestRequest = {
  /** Maximum number of items. */
  room: number;
  /** Whether the document's item is a candidate. */
  isNew(ordinal: number): boolean;
  worthOf(itemIndex: number): number;
};

/** Documents read for one request. */
const mostDocuments = 5_000;

export function createFreshWords(segment: Segment) {
  const sorted: string[] = [];
  const ordinalsByWord = new Map<string, number[]>();
  const bags: string[][] = [];

  const addWord = (surface: string, ordinal: number): void => {
    const known = ordinalsByWord.get(surface);
    if (known) {
      if (known.at(-1) !== ordinal) known.push(ordinal);
      return;
    }
    ordinalsByWord.set(surface, [ordinal]);
    sorted.splice(lowerBound(sorted, surface), 0, surface);
  };

  /** Returns the documents of the rarest whole word, or of the words with the only prefix. */
  const candidates = (typed: readonly string[]): Set<number> => {
    const whole = typed.slice(0, -1).map((word) => ordinalsByWord.get(word) ?? []);
    if (whole.length > 0) return new Set(whole.reduce((a, b) => (b.length < a.length ? b : a)));
    const found = new Set<number>();
    const end = lowerBound(sorted, typed[0], true);
    for (let at = lowerBound(sorted, typed[0]); at < end && found.size < mostDocuments; at++)
      for (const ordinal of ordinalsByWord.get(sorted[at])!) found.add(ordinal);
    return found;
  };

  return {
    add(ordinal: number, words: Words, fieldCount: number): void {
      const bag = new Set<string>();
      visitBag(segment, ordinal, fieldCount, (word) => bag.add(words.surfaceAt(word)));
      bags[ordinal] = [...bag];
      for (const word of bag) addWord(word, ordinal);
    },
    /** Returns the best items that have all typed words, the last one as a prefix, in no order. */
    bestOf(typed: readonly string[], { room, isNew, worthOf }: BestRequest): Int32Array {
      const best = createTop(room);
      best.begin(room);
      let left = mostDocuments;
      for (const ordinal of candidates(typed)) {
        if ((typed.length === 1 || holdsAll(bags[ordinal], typed)) && isNew(ordinal)) {
          const itemIndex = segment.itemOf[ordinal];
          best.offer(itemIndex, worthOf(itemIndex));
        }
        if (--left === 0) break;
      }
      return best.items.subarray(0, best.size);
    },
  };
}

function holdsAll(bag: readonly string[], typed: readonly string[]): boolean {
  const last = typed.length - 1;
  return typed.every((asked, i) =>
    i < last ? bag.includes(asked) : bag.some((word) => word.startsWith(asked)),
  );
}
