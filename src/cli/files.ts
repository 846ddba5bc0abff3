/** Files that commands write: completely or not at all, and packed by gzip when the name ends in .gz. */

import { access, constants, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, constants as zlib } from 'node:zlib';
import { fileFaults } from './connection/failure.ts';

type Chunks = Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/** @param path Undefined for standard output. */
export async function writeOutput(path: string | undefined, chunks: Chunks, signal: AbortSignal) {
  if (path !== undefined) return writeFileWhole(path, chunks, { signal });
  return pipeline(Readable.from(chunks), process.stdout, { signal, end: false });
}

type WriteOptions = { signal?: AbortSignal; mode?: number };

/** The file gets its name once all of it is on the disk; a pipe or a device is written directly. */
export async function writeFileWhole(
  path: string,
  chunks: Chunks,
  { signal, mode }: WriteOptions = {},
): Promise<void> {
  const isFile = await isRegularFile(path);
  const unfinished = isFile ? `${path}.unfinished` : path;
  const file = await open(unfinished, 'w', mode);
  try {
    /** The best level would be slower than the database. */
    const packing = path.endsWith('.gz') ? [createGzip({ level: zlib.Z_BEST_SPEED })] : [];
    const stages = [...packing, file.createWriteStream({ flush: isFile })] as unknown as [
      NodeJS.WritableStream,
    ];
    await pipeline([Readable.from(chunks), ...stages], { signal });
    if (isFile) await rename(unfinished, path);
  } catch (error) {
    if (isFile) await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Names of descriptors that are open already; even for a file, nothing can be written beside them. */
const openDescriptors = /^\/dev\/std(out|err)$|^\/(dev|proc\/\w+)\/fd\/\d+$/;

/** Renaming a file to the name of a device, such as /dev/null, would replace it for the whole machine. */
async function isRegularFile(path: string): Promise<boolean> {
  if (openDescriptors.test(path)) return false;
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.isFile() || found.isDirectory();
}

/**
 * Checks before long work that its file can be written in the end.
 *
 * @param option The option that names another file, such as `--html`.
 */
export async function assertWritable(path: string, option: string): Promise<void> {
  try {
    const exists = (await stat(path).catch(() => undefined)) !== undefined;
    /** The dot asks for a folder. */
    await access(exists ? path : `${dirname(path)}/.`, constants.W_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const fault = fileFaults[code] ?? message;
    throw new Error(`${path} cannot be written: ${fault}. Name another file with ${option}.`, {
      cause: error,
    });
  }
}

/** The first two bytes of a gzip file (RFC 1952). */
const gzipMagic = 0x1f8b;

/** Unpacks chunks that begin like a gzip file, and returns others unchanged. */
export async function* unpackIfPacked(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const chunks = input[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const all = (async function* () {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  })();
  const isPacked = first.value.length > 1 && first.value.readUInt16BE() === gzipMagic;
  if (!isPacked) return yield* all;
  const source = Readable.from(all);
  const gunzip = source.pipe(createGunzip());
  source.on('error', (error) => gunzip.destroy(error));
  yield* gunzip;
}

/** The format of results: as given, else by the name of the file, else CSV. */
export type ResultFormat = 'csv' | 'ndjson';

export function resultFormatOf(path: string | undefined, given: ResultFormat | undefined): ResultFormat {
  return given ?? (path && /\.(ndjson|jsonl)(\.gz)?$/.test(path) ? 'ndjson' : 'csv');
}
