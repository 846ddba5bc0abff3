/** Reads the new words of a vocabulary in steps. */
import type { Words } from '../index/words.ts';

export type NewWords = {
  /** Number of words that were read. */
  readonly readCount: number;
  /** Reads the next words, a limited number, so that a query does not wait for a large load. */
  readSome(): void;
  /** Reads all words that are there now, in slices. */
  settle(): Generator<void>;
};

const wordsPerStep = 2_000;

export function createNewWords(words: Words, read: (word: number) => void): NewWords {
  let next = 0;
  const readSome = (): void => {
    for (const end = Math.min(words.wordCount, next + wordsPerStep); next < end; next++) read(next);
  };
  return {
    get readCount() {
      return next;
    },
    readSome,
    *settle() {
      for (const end = words.wordCount; next < end; ) {
        readSome();
        yield;
      }
    },
  };
}
