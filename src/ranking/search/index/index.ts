/**
 * The index of one environment: a packed segment with nearly everything, an open one with the
 * newest writes, and while a merge runs a frozen one between them.
 *
 * A write is found by the next query. A merge runs in slices that its owner calls for, and ends
 * with one assignment.
 */
import { type Analyser, createAnalyser, primaryLanguage } from '../analysis/analyser.ts';
import { mostFields, type SearchField, type SearchSettings, textFields } from '../settings.ts';
import { finish } from '../slices.ts';
import type { ItemDocument } from './document-text.ts';
import { createIndexState, emptyPostings, type IndexState, type SegmentFollower } from './index-state.ts';
import { createMerging, type Merging } from './merging.ts';
import type { Place } from './places.ts';
import { createPackedSegment, type Documents, type PackedPostings, type Segment } from './segment.ts';
import type { AverageLengths } from './weights.ts';
import { createWriter, type Writer } from './writer.ts';

export type { ItemDocument } from './document-text.ts';
export type { Place } from './places.ts';

export type TextIndex = Merging &
  Pick<Writer, 'adopt'> &
  Readonly<Pick<IndexState, 'fields' | 'words' | 'titles' | 'kinds' | 'averages'>> & {
    readonly segments: readonly Segment[];
    /** Items that can be found. */
    readonly documentCount: number;
    /** Grows with every change of what can be found. */
    readonly revision: number;
    /** Documents with texts that were analysed, not taken from a snapshot or already known. */
    readonly analysedCount: number;
    analyserOf(language: unknown): Analyser;
    /** Takes an item's document, or removes the item when there is none. */
    apply(itemIndex: number, document: ItemDocument | undefined): void;
    /** Takes an item's document that is found after the next `settle`, at half the cost of `apply`. */
    fill(itemIndex: number, document: ItemDocument): void;
    placeOf(itemIndex: number): Place | undefined;
    /** Returns the number of items that have the term. */
    documentFrequency(term: number): number;
    /** Merges everything at once. */
    compact(): void;
    /** The packed segment and the present averages. */
    readonly settled: { segment: Segment; averages: AverageLengths };
    /** Takes a snapshot before anything else, in slices. A document becomes alive when an item claims it. */
    restore(saved: SavedDocuments): Generator<void>;
  };

/** The documents of a snapshot. */
export type SavedDocuments = {
  documents: Documents;
  /** Their postings, with the averages they were weighed by; absent when the weights have changed. */
  weighed?: { postings: PackedPostings; averages: AverageLengths };
};

/**
 * Without it a load of a million items would copy hundreds of megabytes whenever their segment
 * grows, at 5 ms each 10 MB.
 */
const usualOpenWords = 2_500_000;
/** Cached analysers; analysers of further language tags are made anew. */
const maxAnalysers = 64;

export function fieldsOf({ properties }: SearchSettings): SearchField[] {
  return [...textFields, ...properties].slice(0, mostFields);
}

function createAnalysers(defaultLanguage: string): (language: unknown) => Analyser {
  const analysers = new Map<string, Analyser>();
  return (language) => {
    const tag = typeof language === 'string' && language.length >= 2 ? language : defaultLanguage;
    const primary = primaryLanguage(tag);
    const known = analysers.get(primary);
    if (known) return known;
    const analyser = createAnalyser(primary);
    if (analysers.size < maxAnalysers) analysers.set(primary, analyser);
    return analyser;
  };
}

export type TextIndexOptions = {
  settings: SearchSettings;
  follower?: SegmentFollower;
  /** Words of an open segment, after which another one is opened [2,500,000]. */
  mostOpenWords?: number;
};

export function createTextIndex(options: TextIndexOptions): TextIndex {
  const { settings, follower, mostOpenWords = usualOpenWords } = options;
  const analyserOf = createAnalysers(settings.defaultLanguage);
  const state = createIndexState(fieldsOf(settings), analyserOf);
  const { fields, words, titles, kinds, places, frequencies } = state;
  const { write, adopt, remove, weigh } = createWriter({ state, analyserOf, follower, mostOpenWords });
  const merging = createMerging({ state, follower, weigh });
  return {
    ...merging,
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
    placeOf: places.get,
    documentFrequency: frequencies.of,
    compact: () => finish(merging.settle()),
    get settled() {
      return { segment: state.packed, averages: state.averages };
    },
    restore: (saved) => restore(state, saved),
  };
}

function* restore(state: IndexState, { documents, weighed }: SavedDocuments): Generator<void> {
  state.packed = createPackedSegment(documents, weighed?.postings ?? emptyPostings());
  state.averages = Float64Array.from(weighed?.averages ?? state.averages);
  state.isUnweighed = weighed === undefined;
  yield* state.claims.offer(documents.fingerprints);
}
