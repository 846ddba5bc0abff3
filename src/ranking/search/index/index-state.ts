/**
 * State of an index, shared by its writer and its merging: the segments, and what is known over all
 * of them.
 */
import type { Analyser } from '../analysis/analyser.ts';
import type { SearchField } from '../settings.ts';
import { createClaims } from './claims.ts';
import { createFrequencies } from './frequencies.ts';
import { createKinds } from './kinds.ts';
import { createPlaces } from './places.ts';
import {
  createDocuments,
  createOpenSegment,
  createPackedSegment,
  type PackedPostings,
  type Segment,
} from './segment.ts';
import { createTitles } from './titles.ts';
import { createWeigher } from './weights.ts';
import { createWords, type Words } from './words.ts';

/** Average length of a field until the first merge computes it. */
const assumedLength = 12;

export const emptyPostings = (): PackedPostings => ({
  starts: new Int32Array(1),
  docs: new Int32Array(0),
  payloads: new Uint16Array(0),
  maxImpacts: new Uint16Array(1),
});

export function createIndexState(
  fields: readonly SearchField[],
  analyserOf: (language: unknown) => Analyser,
) {
  const words = createWords();
  const weigher = createWeigher(fields, words);
  return {
    fields,
    words,
    weigher,
    places: createPlaces(),
    titles: createTitles(),
    claims: createClaims(),
    kinds: createKinds(words, analyserOf),
    frequencies: createFrequencies(words, weigher),
    packed: createPackedSegment(createDocuments(), emptyPostings()),
    /** Whether the packed segment lacks postings, so that only a merge makes its documents found. */
    isUnweighed: false,
    frozen: [] as Segment[],
    open: createOpenSegment(),
    averages: new Float64Array(fields.length).fill(assumedLength),
    documentCount: 0,
    revision: 0,
    analysedCount: 0,
    /** The running merge. */
    merge: undefined as Generator<void> | undefined,
  };
}

export type IndexState = ReturnType<typeof createIndexState>;

/** Opens another segment for later writes. */
export function freeze(state: IndexState): void {
  state.frozen.push(state.open);
  state.open = createOpenSegment();
}

/** Data that another part of search keeps beside the segments. */
export type SegmentFollower = {
  /** Called for every document that was added to the open segment. */
  added(segment: Segment, ordinal: number): void;
  /** Runs in slices before a merged segment takes over. */
  merged(segment: Segment, words: Words): Generator<void>;
  /** Runs in slices when items or their popularity have changed, but no document. */
  reorder(segment: Segment): Generator<void>;
};
