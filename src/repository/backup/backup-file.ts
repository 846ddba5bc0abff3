/**
 * The file of a backup: frames one after the other, and at the end a checksum of all of them.
 *
 * It begins with a line that says what it is. A frame is a letter, the length of its content in four bytes (the highest first) and
 * the content: `H` what the backup is of (JSON), `T` a table that begins (JSON), `D` the next rows as PostgreSQL's COPY writes them
 * as text, `E` the end of the table (JSON), `Z` the SHA-256 of every byte before this frame, in hexadecimal. The names are those of
 * docs/backups.md.
 */

import { createHash } from 'node:crypto';
import { DomainError } from '../../errors.ts';

const firstLine = 'personalisation backup 1\n';

/** Of a frame's content; rows are cut into such pieces anywhere. */
const mostFrameBytes = 1024 * 1024;
const headBytes = 5;

export type BackupHeader = {
  /** RFC 3339: the moment that the backup shows. */
  taken_at: string;
  /** The migrations of the database, in their order. */
  migrations: string[];
};

export type TableHeader = { table: string; columns: string[] };
export type TableEnd = { rows: number };

export type Frame = { kind: string; content: Buffer };

/** Makes the bytes of a file, in the order of the calls. */
export function createBackupWriter() {
  const hash = createHash('sha256');
  const counted = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  const json = (kind: string, value: object) => counted(frame(kind, Buffer.from(JSON.stringify(value))));
  return {
    begin: (header: BackupHeader) => Buffer.concat([counted(Buffer.from(firstLine)), json('H', header)]),
    table: (header: TableHeader) => json('T', header),
    *rows(bytes: Buffer): Generator<Buffer> {
      for (let at = 0; at < bytes.length; at += mostFrameBytes)
        yield counted(frame('D', bytes.subarray(at, at + mostFrameBytes)));
    },
    tableEnd: (end: TableEnd) => json('E', end),
    end: () => frame('Z', Buffer.from(hash.digest('hex'))),
  };
}

function frame(kind: string, content: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(kind, 'latin1');
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/**
 * The frames of a file but the last, as they come. Ends when the checksum agrees and nothing follows it.
 *
 * @throws When the file is none of ours, is cut off, or was changed.
 */
export async function* readFrames(input: AsyncIterable<Buffer>): AsyncGenerator<Frame, void, undefined> {
  const bytes = createByteReader(input);
  const hash = createHash('sha256');
  const start = await bytes.take(firstLine.length);
  if (start?.toString('latin1') !== firstLine)
    throw new DomainError(
      'BODY_INVALID',
      'The file is no backup, or one of a version that this program cannot read.',
    );
  hash.update(start);
  for (;;) {
    const head = await bytes.take(headBytes);
    if (head === undefined) throw damage('it ends in the middle');
    const length = head.readUInt32BE(1);
    if (length > mostFrameBytes) throw damage('a length in it cannot be');
    const content = await bytes.take(length);
    if (content === undefined) throw damage('it ends in the middle');
    const kind = head.toString('latin1', 0, 1);
    if (kind === 'Z') {
      if (content.toString('latin1') !== hash.digest('hex')) throw damage('its checksum is another');
      if ((await bytes.take(1)) !== undefined) throw damage('something follows its end');
      return;
    }
    hash.update(head).update(content);
    yield { kind, content };
  }
}

/** @param why Ends the sentence. */
export function damage(why: string, cause?: unknown): DomainError {
  return new DomainError('BODY_INVALID', `The backup is damaged: ${why}. Nothing of it was kept.`, { cause });
}

export function parseContent<T>({ content }: Frame): T {
  try {
    return JSON.parse(content.toString());
  } catch (cause) {
    throw damage('a part of it is not what it should be', cause);
  }
}

/** Takes so many bytes from chunks that end anywhere; undefined when there are fewer. */
function createByteReader(input: AsyncIterable<Buffer>) {
  const chunks = input[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let heldBytes = 0;
  const fill = async (length: number): Promise<boolean> => {
    while (heldBytes < length) {
      const next = await chunks.next().catch((error) => {
        throw isUnpackingFault(error) ? damage('it cannot be unpacked', error) : error;
      });
      if (next.done) return false;
      held.push(next.value);
      heldBytes += next.value.length;
    }
    return true;
  };
  return {
    async take(length: number): Promise<Buffer | undefined> {
      if (!(await fill(length))) return undefined;
      const all = held.length === 1 ? held[0] : Buffer.concat(held);
      held = [all.subarray(length)];
      heldBytes -= length;
      return all.subarray(0, length);
    },
  };
}

const isUnpackingFault = (error: unknown) => /^Z_/.test(String((error as { code?: unknown }).code));
