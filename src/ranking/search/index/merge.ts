/**
 * Merges segments into a packed one, in slices, so that serving goes on between them.
 *
 * Postings are made anew from the streams of living documents, with their present average lengths.
 * An index that grew by writes is therefore equal, byte for byte, to one built at once from the
 * same documents in the same order.
 */
import type { SearchField } from '../settings.ts';
import { inSlices } from '../slices.ts';
import {
  createDocuments,
  createPackedSegment,
  type Documents,
  type PackedPostings,
  type Segment,
} from './segment.ts';
import { copyStream } from './streams.ts';
import { type AverageLengths, createWeigher, impactMask, type Weigher } from './weights.ts';
import type { Words } from './words.ts';

export type MergeResult = { segment: Segment; averages: AverageLengths };

export type MergeOptions = {
  sources: readonly Segment[];
  fields: readonly SearchField[];
  words: Words;
};

/** Words handled between two yields: about 1 ms. */
const wordsPerSlice = 10_000;

function* copyDocuments(sources: readonly Segment[], fieldCount: number): Generator<void, Documents> {
  const documents = createDocuments(sources.reduce((sum, source) => sum + source.docCount, 0));
  const length = sources.reduce((sum, source) => sum + source.streams.length, 0);
  documents.streams.values = new Int32Array(length);
  for (const source of sources)
    yield* everyDocument(source, (ordinal) =>
      source.alive[ordinal] === 1 ? copyDocument(source, ordinal, documents, fieldCount) / 2 : 0,
    );
  return documents;
}

/** Appends a document, for which there must be room; returns the number of stream entries copied. */
function copyDocument(source: Documents, from: number, to: Documents, fieldCount: number): number {
  const ordinal = to.docCount++;
  to.streamStarts[ordinal] = to.streams.length;
  to.itemOf[ordinal] = source.itemOf[from];
  to.fingerprints[ordinal] = source.fingerprints[from];
  to.alive[ordinal] = 1;
  return copyStream(source, from, to.streams, fieldCount);
}

function* averageLengths(
  { docCount, streamStarts, streams }: Documents,
  fieldCount: number,
): Generator<void, AverageLengths> {
  const sums = new Float64Array(fieldCount);
  const counts = new Float64Array(fieldCount);
  yield* inSlices(docCount, wordsPerSlice, (ordinal) => {
    let at = streamStarts[ordinal];
    for (let field = 0; field < fieldCount; field++) {
      const length = streams.values[at];
      sums[field] += length;
      counts[field] += Math.min(length, 1);
      at += length + 1;
    }
  });
  return sums.map((sum, field) => Math.max(1, sum / Math.max(1, counts[field])));
}

/** Visits every document in slices; `visit` returns how much work it did. */
function* everyDocument(documents: Documents, visit: (ordinal: number) => number): Generator<void> {
  let done = 0;
  for (let ordinal = 0; ordinal < documents.docCount; ordinal++) {
    done += visit(ordinal);
    if (done < wordsPerSlice) continue;
    done = 0;
    yield;
  }
}

function* invert(
  documents: Documents,
  averages: AverageLengths,
  weigher: Weigher,
  words: Words,
): Generator<void, PackedPostings> {
  const starts = new Int32Array(words.termCount + 1);
  const { streams, streamStarts } = documents;
  yield* everyDocument(documents, (ordinal) => {
    const count = weigher.distinct(streams.values, streamStarts[ordinal]);
    for (let i = 0; i < count; i++) starts[weigher.terms[i] + 1] += 1;
    return count * 2;
  });
  for (let term = 1; term < starts.length; term++) starts[term] += starts[term - 1];
  const postingCount = starts[starts.length - 1];
  const docs = new Int32Array(postingCount);
  const payloads = new Uint16Array(postingCount);
  const maxImpacts = new Uint16Array(starts.length);
  const next = starts.slice();
  yield* everyDocument(documents, (ordinal) => {
    const count = weigher.weigh(streams.values, streamStarts[ordinal], averages);
    for (let i = 0; i < count; i++) {
      const term = weigher.terms[i];
      const place = next[term]++;
      docs[place] = ordinal;
      payloads[place] = weigher.payloads[i];
      maxImpacts[term] = Math.max(maxImpacts[term], weigher.payloads[i] & impactMask);
    }
    return count * 2;
  });
  return { starts, docs, payloads, maxImpacts };
}

/** Runs in slices to the merged segment. */
export function* mergeSegments({ sources, fields, words }: MergeOptions): Generator<void, MergeResult> {
  const documents = yield* copyDocuments(sources, fields.length);
  const averages = yield* averageLengths(documents, fields.length);
  const packed = yield* invert(documents, averages, createWeigher(fields, words), words);
  return { segment: createPackedSegment(documents, packed), averages };
}
