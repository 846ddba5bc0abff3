/** Document frequencies: the number of living documents of all segments that have a term. */
import { grown } from '../../catalog/growth.ts';
import type { Segment } from './segment.ts';
import type { Weigher } from './weights.ts';
import type { Words } from './words.ts';

/** Documents taken out between two yields: about 1 ms. */
const documentsPerSlice = 100;

export function createFrequencies(words: Words, weigher: Weigher) {
  let frequencies = new Int32Array(0);

  /** Takes out a document that was counted. */
  const discount = ({ streams, streamStarts }: Segment, ordinal: number): void => {
    const count = weigher.distinct(streams.values, streamStarts[ordinal]);
    for (let i = 0; i < count; i++) frequencies[weigher.terms[i]] -= 1;
  };

  return {
    // A filled document is counted by the next settling; one removed before that leaves a negative
    // number.
    of: (term: number): number => Math.max(0, frequencies[term] ?? 0),
    /** Counts the first `count` terms of the weigher. */
    add(count: number): void {
      frequencies = grown(frequencies, words.termCount);
      for (let i = 0; i < count; i++) frequencies[weigher.terms[i]] += 1;
    },
    discount,
    /** Counts only these segments, in slices. Dead documents, which postings include, are taken out again. */
    *count(segments: readonly Segment[]): Generator<void> {
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
