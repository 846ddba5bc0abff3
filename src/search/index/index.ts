/**
 * The index of one environment: a packed segment with nearly everything, an open one with the newest writes, and while a
 * merge runs a frozen one between them.
 *
 * A write is found by the next query. A merge runs in slices that its owner calls for, and ends with one assignment.
 */
import { type Analyser, createAnalyser, primaryLanguage } from '../analysis/analyser.ts';
import type { SearchField, SearchSettings } from '../settings.ts';
import { mostFields, textFields } from '../settings.ts';
import { createClaims } from './claims.ts';
import { fingerprint, textsOf } from './document-text.ts';
import { roomFor } from './growable.ts';
import { createKinds, type KindCounts, type Kinds } from './kinds.ts';
import { type Merged, mergeSegments } from './merge.ts';
import { createPlaces, type Place } from './places.ts';
import {
  createDocuments,
  createOpenSegment,
  createPackedSegment,
  type Documents,
  type PackedPostings,
  type Segment,
} from './segment.ts';
import { copyStream, pushStream } from './streams.ts';
import { createTitles, type Titles } from './titles.ts';
import { type AverageLengths, createWeigher } from './weights.ts';
import { createWords, type Words } from './words.ts';

export type ItemDocument = Readonly<Record<string, unknown>>;

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

/** What a snapshot held of documents. */
export type SavedDocuments = {
  packed: Documents;
  /** Postings of the packed ones and the averages they were weighed by; undefined when they would be weighed otherwise now. */
  weighed?: { postings: PackedPostings; averages: AverageLengths };
  /** Documents that were not packed when the snapshot was taken. */
  loose: Documents;
};

/** A merge is due when the open segment has so many documents, or this share of the packed one. */
const leastOpenDocuments = 2_000;
const openShare = 0.08;
/** A load of a million items would else copy hundreds of megabytes whenever a segment of theirs has to grow: 5 ms each 10 MB. */
const usualOpenWords = 2_500_000;
/** Documents that are not packed, as a share of those that are, are left without an order. */
const mostUnordered = 0.01;
/** Documents weighed between two yields: about 1 ms. */
const documentsPerSlice = 100;
/** Lengths assumed until the first merge knows better. */
const assumedLength = 12;

const emptyPostings = (): PackedPostings => ({
  starts: new Int32Array(1),
  docs: new Int32Array(0),
  payloads: new Uint16Array(0),
  maxImpacts: new Uint16Array(1),
});

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

/** What is kept beside the segments by another part of search. */
export type SegmentFollower = {
  /** Told of every document that was added to the open segment. */
  added(segment: Segment, ordinal: number): void;
  /** Runs in slices before a merged segment takes over. */
  merged(segment: Segment, words: Words): Generator<void>;
  /** Runs in slices when items or their worth have changed, but no document. */
  reorder(segment: Segment): Generator<void>;
};

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
  const fields = fieldsOf(settings);
  const words = createWords();
  const weigher = createWeigher(fields, words);
  const analyserOf = createAnalysers(settings.defaultLanguage);
  const places = createPlaces();
  const titles = createTitles();
  const claims = createClaims();
  const kinds = createKinds(words, analyserOf);
  let packed = createPackedSegment(createDocuments(), emptyPostings());
  /** Of a snapshot, still to be claimed; numbered after the packed ones. */
  let loose = createDocuments();
  /** Whether the packed segment lacks postings, so that only a merge makes its documents found. */
  let isUnweighed = false;
  let frozen: Segment[] = [];
  let open = createOpenSegment();
  let averages: AverageLengths = new Float64Array(fields.length).fill(assumedLength);
  /** By term: documents of all segments that have it. */
  let frequencies = new Int32Array(0);
  let documentCount = 0;
  let revision = 0;
  let analysedCount = 0;
  let merge: Generator<void> | undefined;

  const discount = ({ streams, streamStarts }: Segment, ordinal: number): void => {
    const count = weigher.distinct(streams.values, streamStarts[ordinal]);
    for (let i = 0; i < count; i++) frequencies[weigher.terms[i]] -= 1;
  };

  /** Postings count the dead, too. */
  function* countFrequencies(segments: readonly Segment[]): Generator<void> {
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
  }

  const remove = (itemIndex: number): void => {
    const place = places.get(itemIndex);
    if (!place) return;
    place.segment.alive[place.ordinal] = 0;
    discount(place.segment, place.ordinal);
    places.delete(itemIndex);
    titles.remove(itemIndex);
    documentCount -= 1;
    revision += 1;
  };

  /** Registers a document that is in a segment already. */
  const register = (itemIndex: number, segment: Segment, ordinal: number, document: ItemDocument): void => {
    places.set(itemIndex, segment, ordinal);
    if (typeof document.title === 'string') titles.put(itemIndex, document.title);
    documentCount += 1;
    revision += 1;
  };

  const claim = (itemIndex: number, print: number, document: ItemDocument): boolean => {
    // A document that a running merge has passed by would be lost with its segment.
    const number = merge ? undefined : claims.take(print);
    if (number === undefined) return false;
    if (number >= packed.docCount) {
      const start = open.streams.length;
      copyStream(loose, number - packed.docCount, open.streams, fields.length);
      register(itemIndex, open, open.addDocument(itemIndex, print, start), document);
      return true;
    }
    packed.alive[number] = 1;
    packed.itemOf[number] = itemIndex;
    register(itemIndex, packed, number, document);
    return true;
  };

  /** Makes a document of the open segment found. */
  const weigh = (ordinal: number): void => {
    const count = weigher.weigh(open.streams.values, open.streamStarts[ordinal], averages);
    open.addPostings(ordinal, weigher.terms, weigher.payloads, count);
    frequencies = roomFor(frequencies, words.termCount);
    for (let i = 0; i < count; i++) frequencies[weigher.terms[i]] += 1;
    kinds.add(open, ordinal);
    follower?.added(open, ordinal);
  };

  const freeze = (): void => {
    frozen.push(open);
    open = createOpenSegment();
  };

  const read = (document: ItemDocument) => {
    const texts = fields.map((field) => textsOf(document, field));
    const analyser = analyserOf(document.language);
    return { texts, analyser, print: fingerprint(analyser.language, texts) };
  };

  const write = (itemIndex: number, document: ItemDocument, withPostings: boolean): void => {
    const { texts, analyser, print } = read(document);
    const place = places.get(itemIndex);
    if (place && place.segment.fingerprints[place.ordinal] === print) return;
    remove(itemIndex);
    if (claim(itemIndex, print, document)) return;
    if (open.streams.length > mostOpenWords && !merge) freeze();
    const start = open.streams.length;
    analysedCount += 1;
    pushStream(open.streams, texts, analyser, words);
    const ordinal = open.addDocument(itemIndex, print, start);
    register(itemIndex, open, ordinal, document);
    if (withPostings) weigh(ordinal);
  };

  function* runMerge(): Generator<void> {
    freeze();
    const sources = [packed, ...frozen];
    places.beginMove(sources);
    const merged = yield* mergeSegments({ sources, fields, words });
    const counts = yield* kinds.count(merged.segment);
    yield* places.prepare(merged.segment);
    // The follower changes over at its end, so nothing may come between that and the segment's taking over.
    if (follower) yield* follower.merged(merged.segment, words);
    takeOver(merged, counts);
    yield* places.settle();
  }

  const takeOver = (merged: Merged, counts: KindCounts): void => {
    places.takeOver();
    packed = merged.segment;
    averages = merged.averages;
    kinds.use(counts);
    for (let ordinal = 0; ordinal < open.docCount; ordinal++) kinds.add(open, ordinal);
    frozen = [];
    isUnweighed = false;
    forgetClaims();
    revision += 1;
    for (const _ of countFrequencies([packed, open]));
  };

  const forgetClaims = (): void => {
    claims.clear();
    loose = createDocuments();
  };

  /** One slice of the running merge; true while it is not finished. */
  const step = (): boolean => {
    merge ??= runMerge();
    if (!merge.next().done) return true;
    merge = undefined;
    return false;
  };

  const isMany = (documents: number): boolean =>
    documents > Math.max(leastOpenDocuments, packed.docCount * openShare);
  const mergeIsDue = (): boolean =>
    isMany(frozen.reduce((sum, { docCount }) => sum + docCount, open.docCount));

  /** Somebody else may do slices of it, too. */
  function* finish(running: Generator<void>): Generator<void> {
    while (merge === running && step()) yield;
  }

  function* settle(): Generator<void> {
    if (merge) yield* finish(merge);
    merge ??= runMerge();
    yield* finish(merge);
  }

  function* reorder(): Generator<void> {
    if (merge || open.docCount > packed.docCount * mostUnordered) yield* settle();
    else if (follower) yield* follower.reorder(packed);
  }

  function* catchUp(): Generator<void> {
    const isReady = packed.docCount > 0 && frozen.length === 0 && !isUnweighed;
    if (merge || !isReady || isMany(open.docCount + claims.left)) return yield* settle();
    forgetClaims();
    yield* countFrequencies([packed]);
    kinds.use(yield* kinds.count(packed));
    for (let ordinal = 0; ordinal < open.docCount; ordinal++) {
      if (open.alive[ordinal] === 1) weigh(ordinal);
      if (ordinal % documentsPerSlice === documentsPerSlice - 1) yield;
    }
    if (follower) yield* follower.reorder(packed);
    revision += 1;
  }

  return {
    fields,
    words,
    titles,
    kinds,
    get segments() {
      return [packed, ...frozen, open].filter((segment) => segment.docCount > 0);
    },
    get averages() {
      return averages;
    },
    get documentCount() {
      return documentCount;
    },
    get revision() {
      return revision;
    },
    get analysedCount() {
      return analysedCount;
    },
    analyserOf,
    apply(itemIndex, document) {
      if (document) write(itemIndex, document, true);
      else remove(itemIndex);
    },
    fill: (itemIndex, document) => write(itemIndex, document, false),
    adopt: (itemIndex, document) => claim(itemIndex, read(document).print, document),
    settle,
    reorder,
    catchUp,
    placeOf: places.get,
    /** What was filled in is counted when it is settled, so one that is forgotten before leaves less than nothing. */
    documentFrequency: (term) => Math.max(0, frequencies[term] ?? 0),
    maintain() {
      if (merge) return step() || mergeIsDue();
      return mergeIsDue() && step();
    },
    compact() {
      for (const _ of settle());
    },
    get settled() {
      return { segment: packed, averages };
    },
    *restore(saved) {
      packed = createPackedSegment(saved.packed, saved.weighed?.postings ?? emptyPostings());
      averages = saved.weighed?.averages ?? averages;
      isUnweighed = saved.weighed === undefined;
      loose = saved.loose;
      const prints = new Float64Array(packed.docCount + loose.docCount);
      prints.set(packed.fingerprints.subarray(0, packed.docCount));
      prints.set(loose.fingerprints.subarray(0, loose.docCount), packed.docCount);
      yield* claims.offer(prints);
    },
  };
}
