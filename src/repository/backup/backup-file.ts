/**
 * The format of a backup file: an identifying line, frames, and a checksum at the end.
 *
 * A frame is a letter, the length of its content in four bytes (big-endian) and the content: `H`
 * the header (JSON), `T` the beginning of a table (JSON), `D` rows in PostgreSQL's COPY text
 * format, `E` the end of the table (JSON), `Z` the SHA-256 of all bytes before this frame, in
 * hexadecimal. docs/backups.md describes the fields.
 */

import { createHash } from 'node:crypto';
import { DomainError } from '../../errors.ts';

const firstLine = 'personalisation backup 1\n';

/** Most content of a frame; rows are cut anywhere. */
const mostFrameBytes = 1024 * 1024;
const headBytes = 5;

export type BackupHeader = {
  /** RFC 3339: the moment of the snapshot. */
  taken_at: string;
  migrations: string[];
  /** The oldest release that can restore it; undefined in backups of 0.1. */
  release?: string;
};

export type TableHeader = { table: string; columns: string[] };
export type TableEnd = { rows: number };

export type Frame = { kind: string; content: Buffer };

/** Creates the bytes of a file; methods are called in the order of the format. */
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
 * Yields the frames of a file except the last, and ends when the checksum is right.
 *
 * @throws When the file is no backup, incomplete or changed.
 */
export async function* readFrames(input: AsyncIterable<Buffer>): AsyncGenerator<Frame, void, undefined> {
  const bytes = createByteReader(input);
  const hash = createHash('sha256');
  const start = await bytes.take(firstLine.length);
  if (start?.toString('latin1') !== firstLine)
    throw new DomainError('BODY_INVALID', 'The file is not a backup, or its version is not supported.');
  hash.update(start);
  for (;;) {
    const head = await bytes.take(headBytes);
    if (head === undefined) throw damage('it ends early');
    const length = head.readUInt32BE(1);
    if (length > mostFrameBytes) throw damage('a length in it is impossible');
    const content = await bytes.take(length);
    if (content === undefined) throw damage('it ends early');
    const kind = head.toString('latin1', 0, 1);
    if (kind === 'Z') {
      if (content.toString('latin1') !== hash.digest('hex')) throw damage('its checksum is wrong');
      if ((await bytes.take(1)) !== undefined) throw damage('it has data after its end');
      return;
    }
    hash.update(head).update(content);
    yield { kind, content };
  }
}

/** @param why The end of the sentence. */
export function damage(why: string, cause?: unknown): DomainError {
  return new DomainError('BODY_INVALID', `The backup is damaged: ${why}. No data was restored.`, { cause });
}

export function parseContent<T>({ content }: Frame): T {
  try {
    return JSON.parse(content.toString());
  } catch (cause) {
    throw damage('a part of it is not valid JSON', cause);
  }
}

/** Reads given numbers of bytes from chunks; `take` returns undefined when there are fewer. */
function createByteReader(input: AsyncIterable<Buffer>) {
  const chunks = input[Symbol.asyncIterator]();
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  const fill = async (length: number): Promise<boolean> => {
    while (bufferedBytes < length) {
      const next = await chunks.next().catch((error) => {
        throw isUnpackingFault(error) ? damage('it cannot be unpacked', error) : error;
      });
      if (next.done) return false;
      buffered.push(next.value);
      bufferedBytes += next.value.length;
    }
    return true;
  };
  return {
    async take(length: number): Promise<Buffer | undefined> {
      if (!(await fill(length))) return undefined;
      const all = buffered.length === 1 ? buffered[0] : Buffer.concat(buffered);
      buffered = [all.subarray(length)];
      bufferedBytes -= length;
      return all.subarray(0, length);
    },
  };
}

const isUnpackingFault = (error: unknown) => /^Z_/.test(String((error as { code?: unknown }).code));
