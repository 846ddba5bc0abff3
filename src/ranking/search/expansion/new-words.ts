/** Reads the new words of a vocabulary in steps. */
import type { Words } from '../index/words.ts';

const wordsPerStep = 2_000;

export function createNewWords(words: Words, read: (word: number) => void) {
  let next = 0;
  /** Reads the next words, a limited number, so that a query does not wait for a large load. */
  const readSome = (): void => {
    for (const end = Math.min(words.wordCount, next + wordsPerStep); next < end; next++) read(next);
  };
  return {
    /** Number of words that were read. */
    get readCount(): number {
      return next;
    },
    readSome,
    /** Reads all words that are there now, in slices. */
    *settle(): Generator<void> {
      for (const end = words.wordCount; next < end; ) {
        readSome();
        yield;
      }
    },
  };
}
