/** Backups packed by gzip: written when the name says so, read whatever the name. */

import { Readable } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';

/** Text packs well even so; the best level would be slower than the database. */
const level = constants.Z_BEST_SPEED;

export function packed(path: string): NodeJS.ReadWriteStream[] {
  return path.endsWith('.gz') ? [createGzip({ level })] : [];
}

/** The first two bytes of a gzip file (RFC 1952). */
const gzipMagic = 0x1f8b;

export async function* unpacked(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
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
