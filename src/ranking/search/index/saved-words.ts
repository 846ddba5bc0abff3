/**
 * The words of an index as sections of a snapshot: their texts and terms, so that nothing has to be stemmed again.
 *
 * Texts stand in UTF-8, each with a line feed, which no word contains.
 */
import type { Sections } from './sections.ts';
import type { Words } from './words.ts';

/** Texts encoded between two yields, and bytes decoded: 1 to 2 ms. */
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

/** The texts in slices. */
function* decodeTexts(bytes: Uint8Array): Generator<string[]> {
  const decoder = new TextDecoder();
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, Math.min(bytes.length - 1, start + bytesPerSlice));
    yield decoder.decode(bytes.subarray(start, end)).split('\n');
    start = end + 1;
  }
}

/** The words of this moment. */
export function* saveWords(words: Words): Generator<void, Sections> {
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

/** Fills a list without words. */
export function* restoreWords(words: Words, saved: Sections): Generator<void> {
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
