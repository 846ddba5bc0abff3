/**
 * A document as a stream of word numbers: for each field its length, then its words in order.
 *
 *   [2, hp, notebook, 3, fast, light, laptop, 0, 1, black]
 *
 * The rest of the index derives from streams: postings, merges, proximity, explanations.
 */

import { grown } from '../../catalog/growth.ts';
import { type Analyser, tokensOf } from '../analysis/analyser.ts';
import { createSizeReader } from '../analysis/sizes.ts';
import { mostWordsPerField, titleField } from '../settings.ts';
import type { Words } from './words.ts';

export type StreamPool = {
  values: Int32Array;
  length: number;
};

export function createStreamPool(): StreamPool {
  return { values: new Int32Array(0), length: 0 };
}

function push(pool: StreamPool, value: number): void {
  pool.values = grown(pool.values, pool.length + 1);
  pool.values[pool.length++] = value;
}

/**
 * Fields of up to this many words keep their stop words (`The Who` is a name); longer ones would
 * fill the index with them.
 */
const keepsStopWords = 32;

/** Appends the length of a field and its words. A compound's parts come before the whole. */
function pushField(
  pool: StreamPool,
  texts: readonly string[],
  field: number,
  analyser: Analyser,
  words: Words,
): void {
  const lengthAt = pool.length;
  push(pool, 0);
  for (const text of texts) {
    const room = mostWordsPerField - (pool.length - lengthAt);
    if (room <= 0) break;
    const tokens = tokensOf(text, room);
    const sizeEnding = createSizeReader();
    const dropsStopWords = field !== titleField && tokens.length > keepsStopWords;
    for (const { text: whole, parts = [] } of tokens) {
      if (dropsStopWords && analyser.isStopWord(whole)) continue;
      for (const part of parts) push(pool, words.add(part, analyser));
      push(pool, words.add(whole, analyser));
      for (const size of sizeEnding(whole)?.spellings ?? [])
        if (size !== whole) push(pool, words.add(size, analyser));
    }
  }
  pool.values[lengthAt] = pool.length - lengthAt - 1;
}

export function pushStream(
  pool: StreamPool,
  textsByField: readonly (readonly string[])[],
  analyser: Analyser,
  words: Words,
): void {
  for (let field = 0; field < textsByField.length; field++)
    pushField(pool, textsByField[field], field, analyser, words);
}

function streamEnd(values: Int32Array, start: number, fieldCount: number): number {
  let at = start;
  for (let field = 0; field < fieldCount; field++) at += values[at] + 1;
  return at;
}

export type Streams = { streamStarts: Int32Array; streams: StreamPool };

/** Appends a document's stream to another pool; returns its length. */
export function copyStream(
  { streamStarts, streams }: Streams,
  ordinal: number,
  to: StreamPool,
  fieldCount: number,
): number {
  const start = streamStarts[ordinal];
  const length = streamEnd(streams.values, start, fieldCount) - start;
  to.values = grown(to.values, to.length + length);
  to.values.set(streams.values.subarray(start, start + length), to.length);
  to.length += length;
  return length;
}

/** The words of a title: values[start] … values[end - 1]. */
export type Title = { values: Int32Array; start: number; end: number };

export function titleOf({ streamStarts, streams: { values } }: Streams, ordinal: number): Title {
  const start = streamStarts[ordinal] + 1;
  return { values, start, end: start + values[start - 1] };
}
