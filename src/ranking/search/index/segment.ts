/**
 * A segment: documents, numbered by ordinal, and the postings of their terms in order of ordinal.
 *
 * The packed segment is made by a merge and never written again, except for its `alive` marks; the
 * open segment takes the newest writes. A document is alive until its item is written again or
 * removed.
 */
import { grown } from '../../catalog/growth.ts';
import { createStreamPool, type StreamPool } from './streams.ts';
import { impactMask } from './weights.ts';

/** The entries start … end - 1 of `docs` and `payloads`. */
export type PostingRange = {
  docs: Int32Array;
  payloads: Uint16Array;
  start: number;
  end: number;
  /** The highest impact among them. */
  maxImpact: number;
};

export type Documents = {
  docCount: number;
  /** 1 for the current document of its item. */
  alive: Uint8Array;
  itemOf: Int32Array;
  fingerprints: Float64Array;
  streamStarts: Int32Array;
  streams: StreamPool;
  /** Cached postings of phrases, valid while there are `docCount` documents. */
  phrases: { docCount: number; ranges: Map<string, PostingRange | undefined> };
};

export type Segment = Documents & {
  /** Present in a packed segment. */
  readonly packed?: PackedPostings;
  /** Returns the postings of a term; undefined when no document has it. */
  postings(term: number): PostingRange | undefined;
  /** Adds the number of documents that have it to each term's entry. */
  addFrequencies(frequencies: Int32Array): void;
};

export type OpenSegment = Segment & {
  /** Adds postings of a document, in the order of ordinals. */
  addPostings(ordinal: number, terms: Int32Array, payloads: Uint16Array, count: number): void;
  /** Adds the document with the stream that was just pushed at `streamStart`; returns its ordinal. */
  addDocument(itemIndex: number, fingerprint: number, streamStart: number): number;
};

export function createDocuments(capacity = 0): Documents {
  return {
    docCount: 0,
    alive: new Uint8Array(capacity),
    itemOf: new Int32Array(capacity),
    fingerprints: new Float64Array(capacity),
    streamStarts: new Int32Array(capacity + 1),
    streams: createStreamPool(),
    phrases: { docCount: 0, ranges: new Map() },
  };
}

function appendDocument(documents: Documents, itemIndex: number, fingerprint: number, start: number): number {
  const ordinal = documents.docCount++;
  documents.alive = grown(documents.alive, ordinal + 1);
  documents.itemOf = grown(documents.itemOf, ordinal + 1);
  documents.fingerprints = grown(documents.fingerprints, ordinal + 1);
  documents.streamStarts = grown(documents.streamStarts, ordinal + 1);
  documents.alive[ordinal] = 1;
  documents.itemOf[ordinal] = itemIndex;
  documents.fingerprints[ordinal] = fingerprint;
  documents.streamStarts[ordinal] = start;
  return ordinal;
}

type GrowingPostings = PostingRange;

/** Creates the segment that takes writes, with a growing list per term. */
export function createOpenSegment(): OpenSegment {
  const lists = new Map<number, GrowingPostings>();
  const documents = createDocuments();
  return Object.assign(documents, {
    postings: (term: number) => lists.get(term),
    addFrequencies(frequencies: Int32Array) {
      for (const [term, { end }] of lists) frequencies[term] += end;
    },
    addDocument: (itemIndex: number, fingerprint: number, streamStart: number) =>
      appendDocument(documents, itemIndex, fingerprint, streamStart),
    addPostings(ordinal: number, terms: Int32Array, payloads: Uint16Array, count: number) {
      for (let i = 0; i < count; i++) {
        let list = lists.get(terms[i]);
        if (!list) {
          list = { docs: new Int32Array(2), payloads: new Uint16Array(2), start: 0, end: 0, maxImpact: 0 };
          lists.set(terms[i], list);
        }
        list.docs = grown(list.docs, list.end + 1);
        list.payloads = grown(list.payloads, list.end + 1);
        list.docs[list.end] = ordinal;
        list.payloads[list.end++] = payloads[i];
        list.maxImpact = Math.max(list.maxImpact, payloads[i] & impactMask);
      }
    },
  });
}

/** All postings in one array, those of term t at starts[t] … starts[t + 1] - 1. */
export type PackedPostings = {
  starts: Int32Array;
  docs: Int32Array;
  payloads: Uint16Array;
  maxImpacts: Uint16Array;
};

export function createPackedSegment(documents: Documents, packed: PackedPostings): Segment {
  const { starts, docs, payloads, maxImpacts } = packed;
  return Object.assign(documents, {
    packed,
    postings(term: number): PostingRange | undefined {
      if (term + 1 >= starts.length || starts[term] === starts[term + 1]) return undefined;
      return { docs, payloads, start: starts[term], end: starts[term + 1], maxImpact: maxImpacts[term] };
    },
    addFrequencies(frequencies: Int32Array) {
      for (let term = 0; term + 1 < starts.length; term++)
        frequencies[term] += starts[term + 1] - starts[term];
    },
  });
}
