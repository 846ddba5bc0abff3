/**
 * What a select gives, by COPY in its binary format; row-copy.ts and byte-copy.ts read it.
 *
 * The format: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
 */

import { to as copyTo } from 'pg-copy-streams';
import { connect, type Database, translateError } from '../database.ts';

/** Signature, flags and the length of an extension, which no server sends. */
export const headerBytes = 19;
/** Stands where a row's number of columns would. */
export const endMarker = -1;

/** Chunks end anywhere. COPY takes no parameters, so that texts in the select are to be quoted by `pg.escapeLiteral`. */
export async function* streamCopy(db: Database, select: string): AsyncGenerator<Buffer, void, undefined> {
  const client = await connect(db);
  let isComplete = false;
  try {
    const statement = `copy (${select}) to stdout with (format binary)`;
    for await (const chunk of client.query(copyTo(statement))) yield chunk as Buffer;
    isComplete = true;
  } catch (error) {
    throw translateError(error);
  } finally {
    /** A connection whose copy broke off is still being sent rows. */
    client.release(!isComplete);
  }
}
