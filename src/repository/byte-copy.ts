/**
 * Reads large byte strings by COPY in its binary format. As a column of a row they would come as hexadecimal text: twice the
 * size, a string on the heap for each, and several times the work.
 *
 * The format: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
 */
import { to as copyTo } from 'pg-copy-streams';
import { type Database, translateError } from './database.ts';

/** Signature, flags and the length of an extension, which no server sends. */
const headerBytes = 19;
/** Of a row with one column: how many columns it has, and the length of the value. */
const prefixBytes = 6;
const endMarker = -1;

/**
 * The values of a select with one column of type bytea that is never null. COPY takes no parameters, so that texts in it are to be quoted
 * by `pg.escapeLiteral`.
 */
export async function* streamBytes(db: Database, select: string): AsyncGenerator<Buffer, void, undefined> {
  const client = await db.pool.connect().catch((error) => {
    throw translateError(error);
  });
  let isComplete = false;
  try {
    const decoder = createDecoder();
    for await (const chunk of client.query(copyTo(`copy (${select}) to stdout with (format binary)`)))
      yield* decoder.push(chunk as Buffer);
    isComplete = true;
  } catch (error) {
    throw translateError(error);
  } finally {
    /** A connection whose copy broke off is still being sent rows. */
    client.release(!isComplete);
  }
}

/** Chunks end anywhere; what has come of a value waits in its own memory for the rest. */
function createDecoder() {
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
          value = Buffer.allocUnsafe(prefix.readInt32BE(2));
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
