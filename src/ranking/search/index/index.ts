/**
 * The index of one environment: a packed segment with nearly everything, an open one with the newest writes, and while a
 * merge runs a frozen one between them.
 *
 * A write is found by the next query. A merge runs in slices that its owner calls for, and ends with one assignment.
 */
import { type Analyser, createAnalyser, primaryLanguage } from '../analysis/analyser.ts';
import { mostFields, type SearchField, type SearchSettings, textFields } from '../settings.ts';
import type { ItemDocument } from './document-text.ts';
import { createIndexState, emptyPostings, type IndexState, type SegmentFollower } from './index-state.ts';
import type { Kinds } from './kinds.ts';
import { createMerging } from './merging.ts';
import type { Place } from './places.ts';
import { createPackedSegment, type Documents, type PackedPostings, type Segment } from './segment.ts';
import type { Titles } from './titles.ts';
import type { AverageLengths } from './weights.ts';
import type { Words } from './words.ts';
import { createWriter } from './writer.ts';

export type { ItemDocument } from './document-text.ts';
export type { Place } from './places.ts';

export type TextIndex = {
  readonly fields: readonly SearchField[];
  readonly words: Words;
  readonly titles: Titles;
  /** Which words name kinds of things. */
  readonly kinds: Kinds;
  readonly segments: readonly Segment[];
  readonly averages: AverageLengths;
  /** Items that can be found. */
  readonly documentCount: number;
  /** Grows with every change of what can be found. */
  readonly revision: number;
  /** Documents whose texts were analysed, not taken from a snapshot or known already. */
  readonly analysedCount: number;
  analyserOf(language: unknown): Analyser;
  /** Takes an item's document, or removes the item when there is none. */
  apply(itemIndex: number, document: ItemDocument | undefined): void;
  /** Takes an item's document that can be found after the next `settle`, at half the cost of `apply`. */
  fill(itemIndex: number, document: ItemDocument): void;
  /** The same of an item whose texts were restored; false, and nothing happens, when they were not. */
  adopt(itemIndex: number, document: ItemDocument): boolean;
  /** Merges everything, in slices to be run to the end. */
  settle(): Generator<void>;
  /** Tells the follower that documents are worth something else now; merges only when many are not packed. */
  reorder(): Generator<void>;
  placeOf(itemIndex: number): Place | undefined;
  /** Items that have the term. */
  documentFrequency(term: number): number;
  /** Does one slice of a merge when one is due or running; true while there is more to do. */
  maintain(): boolean;
  /** Merges everything now; for snapshots, loads and tests. */
  compact(): void;
  /** The packed segment and the averages of now. */
  readonly settled: { segment: Segment; averages: AverageLengths };
  /** Before anything else; each document comes alive when an item with its fingerprint arrives. In slices. */
  restore(saved: SavedDocuments): Generator<void>;
  /** Makes found what was filled in after `restore`, by a merge only when there is much. In slices to be run to the end. */
  catchUp(): Generator<void>;
};

/** What a snapshot state of documents. */
export type SavedDocuments = {
  packed: Documents;
  /** Postings of the packed ones and the averages they were weighed by; undefined when they would be weighed otherwise now. */
  weighed?: { postings: PackedPostings; averages: AverageLengths };
  /** Documents that were not packed when the snapshot was taken. */
  loose: Documents;
};

/** A load of a million items would else copy hundreds of megabytes whenever a segment of theirs has to grow: 5 ms each 10 MB. */
const usualOpenWords = 2_500_000;

export function fieldsOf({ properties }: SearchSettings): SearchField[] {
  return [...textFields, ...properties].slice(0, mostFields);
}

function createAnalysers(defaultLanguage: string): (language: unknown) => Analyser {
  const analysers = new Map<string, Analyser>();
  return (language) => {
    const tag = typeof language === 'string' && language.length >= 2 ? language : defaultLanguage;
    const primary = primaryLanguage(tag);
    let analyser = analysers.get(primary);
    if (!analyser) {
      analyser = createAnalyser(primary);
      // Odd tags are analysed but not remembered, so that they cannot pile up.
      if (analysers.size < 64) analysers.set(primary, analyser);
    }
    return analyser;
  };
}

export type TextIndexOptions = {
  settings: SearchSettings;
  follower?: SegmentFollower;
  /** Words of an open segment, after which another one is opened [2,500,000]. */
  mostOpenWords?: number;
};

export function createTextIndex({
  settings,
  follower,
  mostOpenWords = usualOpenWords,
}: TextIndexOptions): TextIndex {
  const analyserOf = createAnalysers(settings.defaultLanguage);
  const state = createIndexState(fieldsOf(settings), analyserOf);
  const { fields, words, titles, kinds, places, frequencies } = state;
  const { write, adopt, remove, weigh } = createWriter({ state, analyserOf, follower, mostOpenWords });
  const { settle, reorder, catchUp, maintain } = createMerging({ state, follower, weigh });
  return {
    fields,
    words,
    titles,
    kinds,
    get segments() {
      return [state.packed, ...state.frozen, state.open].filter((segment) => segment.docCount > 0);
    },
    get averages() {
      return state.averages;
    },
    get documentCount() {
      return state.documentCount;
    },
    get revision() {
      return state.revision;
    },
    get analysedCount() {
      return state.analysedCount;
    },
    analyserOf,
    apply(itemIndex, document) {
      if (document) write(itemIndex, document, true);
      else remove(itemIndex);
    },
    fill: (itemIndex, document) => write(itemIndex, document, false),
    adopt,
    settle,
    reorder,
    catchUp,
    placeOf: places.get,
    documentFrequency: frequencies.of,
    maintain,
    compact() {
      for (const _ of settle());
    },
    get settled() {
      return { segment: state.packed, averages: state.averages };
    },
    restore: (saved) => restore(state, saved),
  };
}

function* restore(state: IndexState, { packed, weighed, loose }: SavedDocuments): Generator<void> {
  state.packed = createPackedSegment(packed, weighed?.postings ?? emptyPostings());
  state.averages = weighed?.averages ?? state.averages;
  state.isUnweighed = weighed === undefined;
  state.loose = loose;
  const prints = new Float64Array(packed.docCount + loose.docCount);
  prints.set(packed.fingerprints.subarray(0, packed.docCount));
  prints.set(loose.fingerprints.subarray(0, loose.docCount), packed.docCount);
  yield* state.claims.offer(prints);
}
