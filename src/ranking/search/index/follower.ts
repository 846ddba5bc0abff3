import type { Segment } from './segment.ts';
import type { Words } from './words.ts';

/** What is kept beside the segments by another part of search. */
export type SegmentFollower = {
  /** Told of every document that was added to the open segment. */
  added(segment: Segment, ordinal: number): void;
  /** Runs in slices before a merged segment takes over. */
  merged(segment: Segment, words: Words): Generator<void>;
  /** Runs in slices when items or their worth have changed, but no document. */
  reorder(segment: Segment): Generator<void>;
};
