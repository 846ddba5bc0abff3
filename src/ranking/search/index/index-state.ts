/** What an index holds: its segments, and what is known over all of them. Its writer and its merging work on one. */
import type { Analyser } from '../analysis/analyser.ts';
import type { SearchField } from '../settings.ts';
import { type Claims, createClaims } from './claims.ts';
import { createFrequencies, type Frequencies } from './frequencies.ts';
import { createKinds, type Kinds } from './kinds.ts';
import { createPlaces, type Places } from './places.ts';
import {
  createDocuments,
  createOpenSegment,
  createPackedSegment,
  type Documents,
  type OpenSegment,
  type PackedPostings,
  type Segment,
} from './segment.ts';
import { createTitles, type Titles } from './titles.ts';
import { type AverageLengths, createWeigher, type Weigher } from './weights.ts';
import { createWords, type Words } from './words.ts';

export type IndexState = {
  readonly fields: readonly SearchField[];
  readonly words: Words;
  readonly weigher: Weigher;
  readonly places: Places;
  readonly titles: Titles;
  readonly claims: Claims;
  readonly kinds: Kinds;
  readonly frequencies: Frequencies;
  packed: Segment;
  /** Of a snapshot, still to be claimed; numbered after the packed ones. */
  loose: Documents;
  /** Whether the packed segment lacks postings, so that only a merge makes its documents found. */
  isUnweighed: boolean;
  frozen: Segment[];
  open: OpenSegment;
  averages: AverageLengths;
  documentCount: number;
  revision: number;
  analysedCount: number;
  /** The one that is running. */
  merge: Generator<void> | undefined;
};

/** Lengths assumed until the first merge knows better. */
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
): IndexState {
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
    loose: createDocuments(),
    isUnweighed: false,
    frozen: [],
    open: createOpenSegment(),
    averages: new Float64Array(fields.length).fill(assumedLength),
    documentCount: 0,
    revision: 0,
    analysedCount: 0,
    merge: undefined,
  };
}

/** Opens another segment for what is written from now on. */
export function freeze(state: IndexState): void {
  state.frozen.push(state.open);
  state.open = createOpenSegment();
}

export function forgetClaims(state: IndexState): void {
  state.claims.clear();
  state.loose = createDocuments();
}

/** What is kept beside the segments by another part of search. */
export type SegmentFollower = {
  /** Told of every document that was added to the open segment. */
  added(segment: Segment, ordinal: number): void;
  /** Runs in slices before a merged segment takes over. */
  merged(segment: Segment, words: Words): Generator<void>;
  /** Runs in slices when items or their worth have changed, but no document. */
  reorder(segment: Segment): Generator<void>;
};
