/** The same as title words, for the open segment: words in an array that stays sorted by insertion. */
import { lowerBound } from '../correction/sorted-words.ts';
import type { Segment } from '../index/segment.ts';
import type { Words } from '../index/words.ts';
import { visitBag } from './title-words.ts';

export type FreshWords = {
  readonly segment: Segment;
  add(ordinal: number, words: Words, fieldCount: number): void;
  /** Calls back with the documents that hold all typed words, the last one as a prefix, in no order. */
  walk(typed: readonly string[], visit: (ordinal: number) => void): void;
};

/** Documents of one request that are looked at. */
const mostDocuments = 5_000;

export function createFreshWords(segment: Segment): FreshWords {
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

  /** Documents of the rarest whole word, or of the words that begin with the only one. */
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
    segment,
    add(ordinal, words, fieldCount) {
      const bag = new Set<string>();
      visitBag(segment, ordinal, fieldCount, (word) => bag.add(words.surfaceAt(word)));
      bags[ordinal] = [...bag];
      for (const word of bag) addWord(word, ordinal);
    },
    walk(typed, visit) {
      let left = mostDocuments;
      for (const ordinal of candidates(typed)) {
        const bag = bags[ordinal];
        const holds = typed.every((asked, i) =>
          i < typed.length - 1 ? bag.includes(asked) : bag.some((word) => word.startsWith(asked)),
        );
        if (holds) visit(ordinal);
        if (--left === 0) return;
      }
    },
  };
}
