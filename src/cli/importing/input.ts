/** The input of an import: a file or standard input, unpacked by name. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

export type Input = {
  chunks: AsyncIterable<Buffer>;
  /** Bytes taken from the file so far, before unpacking. */
  readBytes(): number;
  /** Undefined for standard input. */
  totalBytes: number | undefined;
};

/** @param signal Ends reading, also while it waits for input. */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  const totalBytes = path === '-' ? undefined : (await stat(path)).size;
  const raw = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 262_144 });
  let readBytes = 0;
  async function* count() {
    for await (const chunk of raw) {
      readBytes += chunk.length;
      yield chunk as Buffer;
    }
  }
  signal.addEventListener('abort', () => raw.destroy(new Error('Interrupted.')), { once: true });
  const chunks = path.endsWith('.gz') ? unpack(count(), path) : count();
  return { chunks, readBytes: () => readBytes, totalBytes };
}

async function* unpack(packed: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 262_144 });
  pipeline(packed, gunzip, () => {});
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw new Error(`${path} is not a whole gzip file (${message}).`);
    throw error;
  }
}
