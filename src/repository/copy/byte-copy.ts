/**
 * Reads large byte strings by COPY (copy-out.ts). As a column of a row they would come as hexadecimal text: twice the size, a
 * string on the heap for each, and several times the work.
 */

import type { Database } from '../database.ts';
import { endMarker, headerBytes, streamCopy } from './copy-out.ts';

/** Of a row with one column: how many columns it has, and the length of the value. */
const prefixBytes = 6;

/** Where a value of so many bytes is put, which it fills; undefined for memory of its own. */
export type RoomFor = (byteCount: number) => Buffer | undefined;

/** One value after the other in the same memory; what does not fit any more has memory of its own. */
export function roomIn(memory: ArrayBuffer | SharedArrayBuffer): RoomFor {
  let used = 0;
  return (byteCount) => {
    const start = used;
    used += byteCount;
    return used <= memory.byteLength ? Buffer.from(memory, start, byteCount) : undefined;
  };
}

/** The values of a select with one column of type bytea that is never null. */
export async function* streamBytes(
  db: Database,
  select: string,
  roomFor: RoomFor = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const decoder = createDecoder(roomFor);
  for await (const chunk of streamCopy(db, select)) yield* decoder.push(chunk);
}

/** Chunks end anywhere; what has come of a value waits where it is put for the rest. */
function createDecoder(roomFor: RoomFor) {
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
          value = roomFor(byteCount) ?? Buffer.allocUnsafe(byteCount);
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
