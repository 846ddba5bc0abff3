/** Document frequencies: the number of living documents of all segments that have a term. */
import { roomFor } from './growable.ts';
import type { Segment } from './segment.ts';
import type { Weigher } from './weights.ts';
import type { Words } from './words.ts';

export type Frequencies = {
  of(term: number): number;
  /** Counts the first `count` terms of the weigher. */
  add(count: number): void;
  /** Takes out a document that was counted. */
  discount(segment: Segment, ordinal: number): void;
  /**
   * Counts only these segments, in slices. Their postings include dead documents, which are taken
   * out again.
   */
  count(segments: readonly Segment[]): Generator<void>;
};

/** Documents taken out between two yields: about 1 ms. */
const documentsPerSlice = 100;

export function createFrequencies(words: Words, weigher: Weigher): Frequencies {
  let frequencies = new Int32Array(0);

  const discount = ({ streams, streamStarts }: Segment, ordinal: number): void => {
    const count = weigher.distinct(streams.values, streamStarts[ordinal]);
    for (let i = 0; i < count; i++) frequencies[weigher.terms[i]] -= 1;
  };

  return {
    // A filled document is counted by the next settling; one removed before that leaves a negative
    // number.
    of: (term) => Math.max(0, frequencies[term] ?? 0),
    add(count) {
      frequencies = roomFor(frequencies, words.termCount);
      for (let i = 0; i < count; i++) frequencies[weigher.terms[i]] += 1;
    },
    discount,
    *count(segments) {
      frequencies = new Int32Array(words.termCount);
      for (const segment of segments) {
        segment.addFrequencies(frequencies);
        const { alive, docCount } = segment;
        let discounted = 0;
        for (let dead = alive.indexOf(0); dead >= 0 && dead < docCount; dead = alive.indexOf(0, dead + 1)) {
          discount(segment, dead);
          if (++discounted % documentsPerSlice === 0) yield;
        }
      }
    },
  };
}
