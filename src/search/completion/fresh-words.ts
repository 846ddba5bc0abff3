/** The same as title words, for the open segment: words in an array that stays sorted by insertion. */
import { lowerBound } from '../correction/sorted-words.ts';
import type { Segment } from '../index/segment.ts';
import type { Words } from '../index/words.ts';
import { visitBag } from './title-words.ts';

export type FreshWords = {
  readonly segment: Segment;
  add(ordinal: number, words: Words, fieldCount: number): void;
  /** Ordinals whose words include one that begins with the prefix (or is it, when `whole`). */
  matches(asked: string, whole: boolean): Set<number>;
};

export function createFreshWords(segment: Segment): FreshWords {
  const sorted: string[] = [];
  const ordinalsByWord = new Map<string, number[]>();

  const addWord = (surface: string, ordinal: number): void => {
    const known = ordinalsByWord.get(surface);
    if (known) {
      if (known.at(-1) !== ordinal) known.push(ordinal);
      return;
    }
    ordinalsByWord.set(surface, [ordinal]);
    sorted.splice(lowerBound(sorted, surface), 0, surface);
  };

  return {
    segment,
    add(ordinal, words, fieldCount) {
      visitBag(segment, ordinal, fieldCount, (word) => addWord(words.surfaceAt(word), ordinal));
    },
    matches(asked, whole) {
      const found = new Set<number>();
      if (whole) return new Set(ordinalsByWord.get(asked));
      const end = lowerBound(sorted, asked, true);
      for (let at = lowerBound(sorted, asked); at < end; at++)
        for (const ordinal of ordinalsByWord.get(sorted[at])!) found.add(ordinal);
      return found;
    },
  };
}
