/**
 * The last saved search index of each environment, so that a start does not analyse every text
 * again. Stored in chunks, because a statement holds its parameters in memory; the first one
 * describes the others.
 */

import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { streamBytes } from '../copy-rows.ts';
import type { Database } from '../database.ts';

const chunkBytes = 1024 * 1024;

type Contents = {
  /** Identifies the format and settings of the index; see SearchIndex.shape. */
  shape: string;
  byteLength: number;
  /** SHA-256 of all bytes. */
  digest: string;
};

/** Concatenates the parts and cuts them into chunks, which are copies. */
function* chunksOf(parts: readonly Uint8Array[]): Generator<Buffer> {
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const length = Math.min(part.length - at, chunkBytes - filled);
      chunk.set(part.subarray(at, at + length), filled);
      at += length;
      filled += length;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** Replaces the environment's snapshot. If two nodes save at once, the later snapshot counts. */
export async function saveSearchSnapshot(
  db: Database,
  environment: string,
  shape: string,
  snapshot: readonly Uint8Array[],
): Promise<void> {
  const byteLength = snapshot.reduce((sum, { length }) => sum + length, 0);
  const hash = createHash('sha256');
  const saveId = randomUUID();
  await db.kysely.transaction().execute(async (transaction) => {
    const insert = (chunk: number, bytes: Buffer) =>
      transaction
        .insertInto('search_snapshots')
        .values({ environment, save_id: saveId, chunk, bytes })
        .execute();
    let chunk = 0;
    for (const bytes of chunksOf(snapshot)) {
      hash.update(bytes);
      await insert(++chunk, bytes);
    }
    const contents: Contents = { shape, byteLength, digest: hash.digest('hex') };
    await insert(0, Buffer.from(JSON.stringify(contents)));
    await transaction
      .deleteFrom('search_snapshots')
      .where('environment', '=', environment)
      .where('saved_at', '<', sql<Date>`now()`)
      .execute();
  });
}

/** Returns undefined when no complete snapshot of this shape exists. */
export async function findSearchSnapshot(
  db: Database,
  environment: string,
  shape: string,
): Promise<ArrayBuffer | undefined> {
  const select = `
    select bytes from search_snapshots
    where environment = ${pg.escapeLiteral(environment)} and save_id = (
      select save_id from search_snapshots where environment = ${pg.escapeLiteral(environment)} and chunk = 0
      order by saved_at desc, save_id desc limit 1
    ) order by chunk`;
  let contents: Contents | undefined;
  let snapshot = new Uint8Array();
  let filled = 0;
  const hash = createHash('sha256');
  for await (const bytes of streamBytes(db, select)) {
    if (contents === undefined) {
      contents = readContents(bytes);
      if (contents?.shape !== shape) return undefined;
      snapshot = new Uint8Array(contents.byteLength);
      continue;
    }
    if (filled + bytes.length > snapshot.length) return undefined;
    snapshot.set(bytes, filled);
    hash.update(bytes);
    filled += bytes.length;
  }
  return contents && hash.digest('hex') === contents.digest ? snapshot.buffer : undefined;
}

function readContents(bytes: Buffer): Contents | undefined {
  try {
    return JSON.parse(bytes.toString()) as Contents;
  } catch {
    return undefined;
  }
}

/** Returns when a node saved it last; undefined when none did. */
export async function findSnapshotMoment(db: Database, environment: string): Promise<Date | undefined> {
  const found = db.kysely
    .selectFrom('search_snapshots')
    .select('saved_at')
    .where('environment', '=', environment)
    .where('chunk', '=', 0);
  return (await found.executeTakeFirst())?.saved_at;
}
