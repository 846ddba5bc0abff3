/**
 * Reads large byte strings by COPY (copy-out.ts). A SELECT would return hexadecimal text: twice the
 * size, a heap string for each value, and several times the work.
 */

import type { Database } from '../database.ts';
import { endMarker, headerBytes, streamCopy } from './copy-out.ts';

/** Prefix of a one-column row, in bytes: the number of columns and the length of the value. */
const prefixBytes = 6;

/** Returns the buffer for a value of `byteCount` bytes; undefined to allocate a new one. */
export type BufferFor = (byteCount: number) => Buffer | undefined;

/** Places values one after another in `memory`; values that do not fit are allocated separately. */
export function buffersIn(memory: ArrayBuffer | SharedArrayBuffer): BufferFor {
  let used = 0;
  return (byteCount) => {
    const start = used;
    used += byteCount;
    return used <= memory.byteLength ? Buffer.from(memory, start, byteCount) : undefined;
  };
}

/** Streams the values of a select with a single, non-null bytea column. */
export async function* streamBytes(
  db: Database,
  select: string,
  bufferFor: BufferFor = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const decoder = createDecoder(bufferFor);
  for await (const chunk of streamCopy(db, select)) yield* decoder.push(chunk);
}

/** Decodes chunks, which can end anywhere: a partial value stays in its buffer until complete. */
function createDecoder(bufferFor: BufferFor) {
  let headerLeft = headerBytes;
  const prefix = Buffer.alloc(prefixBytes);
  let prefixLength = 0;
  let value: Buffer | undefined;
  let filled = 0;
  let hasEnded = false;
  return {
    *push(chunk: Buffer): Generator<Buffer> {
      let at = Math.min(headerLeft, chunk.length);
      headerLeft -= at;
      while (at < chunk.length && !hasEnded) {
        if (value === undefined) {
          prefix[prefixLength++] = chunk[at++];
          hasEnded = prefixLength === 2 && prefix.readInt16BE(0) === endMarker;
          if (prefixLength < prefixBytes) continue;
          const byteCount = prefix.readInt32BE(2);
          value = bufferFor(byteCount) ?? Buffer.allocUnsafe(byteCount);
          prefixLength = 0;
          filled = 0;
        }
        const copied = chunk.copy(value, filled, at);
        filled += copied;
        at += copied;
        if (filled < value.length) continue;
        yield value;
        value = undefined;
      }
    },
  };
}
