/**
 * The index as one ArrayBuffer: what analysing cost, without what follows from it quickly.
 *
 *   Float64 header: version, word count, document count, stream length, text bytes
 *   Float64 fingerprints · Int32 stream starts · Int32 streams · Uint8 languages · UTF-8 surfaces and language names
 *
 * Item positions are not in it, since a restart may number items anew: documents wait for the items whose texts have their
 * fingerprint, and a merge makes the postings. Surfaces end with a line feed, which no word contains.
 */
import type { TextIndex } from './index.ts';
import { copyDocument } from './merge.ts';
import { createDocuments, type Documents } from './segment.ts';

const version = 1;
const headerLength = 5;

/** Documents copied, and words encoded, between two yields: about 2 ms. */
const documentsPerSlice = 4_000;
const wordsPerSlice = 10_000;

/** The documents of this moment in order of item, each stream copied once; one that is removed meanwhile may be missing. */
function* currentDocuments({ segments, fields }: TextIndex): Generator<void, Documents> {
  const sizes = segments.map(({ docCount, streams }) => ({ docCount, length: streams.length }));
  const documents = createDocuments(sizes.reduce((sum, { docCount }) => sum + docCount, 0));
  documents.streams.values = new Int32Array(sizes.reduce((sum, { length }) => sum + length, 0));
  for (const [i, segment] of segments.entries()) {
    for (let ordinal = 0; ordinal < sizes[i].docCount; ordinal++) {
      if (segment.alive[ordinal] === 1) copyDocument(segment, ordinal, documents, fields.length);
      if (ordinal % documentsPerSlice === documentsPerSlice - 1) yield;
    }
  }
  return documents;
}

/** The surfaces of words, each with a line feed; and the languages, after an empty line. */
function* encodeWords({ words }: TextIndex, wordCount: number): Generator<void, Uint8Array[]> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (let start = 0; start < wordCount; start += wordsPerSlice) {
    const length = Math.min(wordsPerSlice, wordCount - start);
    const surfaces = Array.from({ length }, (_, i) => `${words.surfaceAt(start + i)}\n`);
    parts.push(encoder.encode(surfaces.join('')));
    yield;
  }
  parts.push(encoder.encode(`\n${words.languages.join('\n')}`));
  return parts;
}

export function* takeSnapshot(index: TextIndex): Generator<void, ArrayBuffer> {
  const { docCount, fingerprints, streamStarts, streams } = yield* currentDocuments(index);
  const { wordCount } = index.words;
  const text = yield* encodeWords(index, wordCount);
  const textBytes = text.reduce((sum, part) => sum + part.length, 0);
  const arrays = [
    Float64Array.of(version, wordCount, docCount, streams.length, textBytes),
    fingerprints.subarray(0, docCount),
    streamStarts.subarray(0, docCount),
    streams.values.subarray(0, streams.length),
    Uint8Array.from({ length: wordCount }, (_, word) => index.words.languageAt(word)),
    ...text,
  ];
  const bytes = new Uint8Array(arrays.reduce((sum, array) => sum + array.byteLength, 0));
  let at = 0;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return bytes.buffer;
}

/** Fills an empty index; false when the snapshot is of another version or cut off, and the index stays empty. */
export function restoreSnapshot(index: TextIndex, snapshot: ArrayBuffer): boolean {
  if (snapshot.byteLength < headerLength * 8) return false;
  const [found, wordCount, docCount, streamLength, textLength] = new Float64Array(snapshot, 0, headerLength);
  const size = (headerLength + docCount) * 8 + (docCount + streamLength) * 4 + wordCount + textLength;
  if (found !== version || snapshot.byteLength !== size) return false;
  let at = headerLength * 8;
  const take = (bytes: number): number => {
    at += bytes;
    return at - bytes;
  };
  const documents = createDocuments(docCount);
  documents.docCount = docCount;
  documents.fingerprints = new Float64Array(snapshot, take(docCount * 8), docCount);
  documents.streamStarts = new Int32Array(snapshot, take(docCount * 4), docCount);
  documents.streams = {
    values: new Int32Array(snapshot, take(streamLength * 4), streamLength),
    length: streamLength,
  };
  const languageOf = new Uint8Array(snapshot, take(wordCount), wordCount);
  restoreWords(index, languageOf, new TextDecoder().decode(new Uint8Array(snapshot, at, textLength)));
  index.restore(documents);
  return true;
}

function restoreWords(index: TextIndex, languageOf: Uint8Array, text: string): void {
  const end = text.lastIndexOf('\n\n');
  const analysers = text
    .slice(end + 2)
    .split('\n')
    .map(index.analyserOf);
  const surfaces = text.slice(0, end).split('\n');
  for (let word = 0; word < languageOf.length; word++)
    index.words.add(surfaces[word], analysers[languageOf[word]]);
}
