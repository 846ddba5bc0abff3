/**
 * Streams the result of a select by COPY in binary format; row-copy.ts and byte-copy.ts decode it.
 *
 * Format: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
 */

import { to as copyTo } from 'pg-copy-streams';
import { connect, type Database, translateError } from '../database.ts';

/** Bytes of the signature, the flags and the length of the header extension, which is unused. */
export const headerBytes = 19;
/** Marks the end, in place of a row's number of columns. */
export const endMarker = -1;

/** Streams chunks of any length. COPY has no parameters: quote texts with `pg.escapeLiteral`. */
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
    /** Closes the connection after an incomplete copy, since the server still sends rows. */
    client.release(!isComplete);
  }
}
