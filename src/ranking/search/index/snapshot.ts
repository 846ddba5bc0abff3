/**
 * Snapshots of an index as bytes, so that a start need not analyse the texts again.
 *
 * A snapshot holds the words with their terms and the packed segment. It has no item positions,
 * since a restart may number items anew: items claim the documents with equal fingerprints. Postings
 * are used only while the weights of the fields are the same.
 */
import type { SavedDocuments, TextIndex } from './index.ts';
import { decodeSections, encodeSections, type Sections } from './sections.ts';
import { createDocuments, type Documents, type Segment } from './segment.ts';
import { measureOf } from './weights.ts';
import type { Words } from './words.ts';

/** To be raised with the layout, and with any change of words, terms or fingerprints of a text. */
const version = 13;

/** Data that another part of search keeps beside the packed segment. */
export type SnapshotPart = {
  save(segment: Segment): Generator<void, Sections>;
  /** Runs after words and documents were restored. */
  restore(segment: Segment, saved: Sections): Generator<void>;
};

function documentsOf(saved: Sections): Documents {
  const fingerprints = saved.prints as Float64Array;
  const values = saved.streams as Int32Array;
  return {
    ...createDocuments(fingerprints.length),
    docCount: fingerprints.length,
    fingerprints,
    streamStarts: saved.streamStarts as Int32Array,
    streams: { values, length: values.length },
  };
}

/** Returns parts that share memory with the index, which never writes it again. */
export function* takeSnapshot(index: TextIndex, part: SnapshotPart): Generator<void, Uint8Array[]> {
  const { settled: segment, averages } = index;
  const words = yield* saveWords(index.words);
  const { starts, docs, payloads, maxImpacts } = segment.packed!;
  const { docCount, fingerprints, streamStarts, streams } = segment;
  return encodeSections(version, {
    measure: measureOf(index.fields),
    averages,
    prints: fingerprints.subarray(0, docCount),
    streamStarts: streamStarts.subarray(0, docCount),
    streams: streams.values.subarray(0, streams.length),
    ...words,
    postingStarts: starts,
    postingDocs: docs,
    postingPayloads: payloads,
    maxImpacts,
    ...(yield* part.save(segment)),
  });
}

function weighedOf(index: TextIndex, saved: Sections): SavedDocuments['weighed'] {
  const measure = measureOf(index.fields);
  if (saved.measure.length !== measure.length || !measure.every((one, i) => one === saved.measure[i]))
    return undefined;
  return {
    averages: saved.averages as Float64Array,
    postings: {
      starts: saved.postingStarts as Int32Array,
      docs: saved.postingDocs as Int32Array,
      payloads: saved.postingPayloads as Uint16Array,
      maxImpacts: saved.maxImpacts as Uint16Array,
    },
  };
}

/**
 * Fills an empty index in slices; returns false, with the index still empty, for another version or
 * incomplete bytes.
 */
export function* restoreSnapshot(
  index: TextIndex,
  part: SnapshotPart,
  snapshot: ArrayBuffer,
): Generator<void, boolean> {
  const saved = decodeSections(version, snapshot);
  if (!saved) return false;
  yield* restoreWords(index.words, saved);
  const weighed = weighedOf(index, saved);
  yield* index.restore({ documents: documentsOf(saved), weighed });
  yield* part.restore(index.settled, saved);
  return true;
}

/**
 * Texts encoded, and bytes decoded, between two yields: 1 to 2 ms. Texts are UTF-8, each with a
 * line feed at its end.
 */
const textsPerSlice = 8_000;
const bytesPerSlice = 48 * 1024;

const lineFeed = 10;

function* encodeTexts(count: number, textAt: (place: number) => string): Generator<void, Uint8Array> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (let start = 0; start < count; start += textsPerSlice) {
    const length = Math.min(textsPerSlice, count - start);
    const texts = Array.from({ length }, (_, i) => `${textAt(start + i)}\n`);
    parts.push(encoder.encode(texts.join('')));
    yield;
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function* decodeTexts(bytes: Uint8Array): Generator<string[]> {
  const decoder = new TextDecoder();
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, Math.min(bytes.length - 1, start + bytesPerSlice));
    yield decoder.decode(bytes.subarray(start, end)).split('\n');
    start = end + 1;
  }
}

function* saveWords(words: Words): Generator<void, Sections> {
  const { wordCount, termCount } = words;
  const terms = words.terms();
  const saved = {
    wordTerms: words.termsOfWords().slice(0, wordCount),
    wordLanguages: words.languagesOfWords().slice(0, wordCount),
    languages: new TextEncoder().encode(words.languages.join('\n')),
  };
  const surfaces = yield* encodeTexts(wordCount, words.surfaceAt);
  const termTexts = yield* encodeTexts(termCount, () => terms.next().value!);
  return { ...saved, surfaces, termTexts };
}

/** Fills an empty vocabulary. */
function* restoreWords(words: Words, saved: Sections): Generator<void> {
  for (const texts of decodeTexts(saved.termTexts as Uint8Array)) {
    words.addTerms(texts);
    yield;
  }
  if (saved.wordTerms.length === 0) return;
  const languages = new TextDecoder().decode(saved.languages as Uint8Array).split('\n');
  for (const texts of decodeTexts(saved.surfaces as Uint8Array)) {
    words.addKnown(texts, { languages, codes: saved.wordLanguages, terms: saved.wordTerms });
    yield;
  }
}
