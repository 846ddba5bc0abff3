/**
 * The index of one environment: a packed segment with nearly everything, an open one with the
 * newest writes, and while a merge runs a frozen one between them.
 *
 * A write is found by the next query. A merge runs in slices that its owner calls for, and ends
 * with one assignment.
 */
import { type Analyser, createAnalyser, primaryLanguage } from '../analysis/analyser.ts';
import { mostFields, type SearchField, type SearchSettings, textFields } from '../settings.ts';
import type { ItemDocument } from './document-text.ts';
import { createIndexState, emptyPostings, type IndexState, type SegmentFollower } from './index-state.ts';
import { createMerging } from './merging.ts';
import { createPackedSegment, type Documents, type PackedPostings, type Segment } from './segment.ts';
import type { AverageLengths } from './weights.ts';
import { createWriter } from './writer.ts';

export type { ItemDocument } from './document-text.ts';
export type { Place } from './places.ts';

export type TextIndex = ReturnType<typeof createTextIndex>;

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

export function createTextIndex(options: TextIndexOptions) {
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
    get segments(): Segment[] {
      return [state.packed, ...state.frozen, state.open].filter((segment) => segment.docCount > 0);
    },
    get averages(): AverageLengths {
      return state.averages;
    },
    /** Items that can be found. */
    get documentCount(): number {
      return state.documentCount;
    },
    /** Grows with every change of what can be found. */
    get revision(): number {
      return state.revision;
    },
    /** Documents with texts that were analysed, not taken from a snapshot or already known. */
    get analysedCount(): number {
      return state.analysedCount;
    },
    analyserOf,
    /** Takes an item's document, or removes the item when there is none. */
    apply(itemIndex: number, document: ItemDocument | undefined): void {
      if (document) write(itemIndex, document, true);
      else remove(itemIndex);
    },
    /** Takes an item's document that is found after the next `settle`, at half the cost of `apply`. */
    fill: (itemIndex: number, document: ItemDocument): void => write(itemIndex, document, false),
    adopt,
    placeOf: places.get,
    /** Returns the number of items that have the term. */
    documentFrequency: frequencies.of,
    /** The packed segment. */
    get settled(): Segment {
      return state.packed;
    },
    /** Takes a snapshot before anything else, in slices. A document becomes alive when an item claims it. */
    restore: (saved: SavedDocuments): Generator<void> => restore(state, saved),
  };
}

function* restore(state: IndexState, { documents, weighed }: SavedDocuments): Generator<void> {
  state.packed = createPackedSegment(documents, weighed?.postings ?? emptyPostings());
  state.averages = Float64Array.from(weighed?.averages ?? state.averages);
  state.isUnweighed = weighed === undefined;
  yield* state.claims.offer(documents.fingerprints);
}
