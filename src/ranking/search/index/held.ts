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

export type Held = {
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

export function createHeld(
  fields: readonly SearchField[],
  analyserOf: (language: unknown) => Analyser,
): Held {
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
export function freeze(held: Held): void {
  held.frozen.push(held.open);
  held.open = createOpenSegment();
}

export function forgetClaims(held: Held): void {
  held.claims.clear();
  held.loose = createDocuments();
}
