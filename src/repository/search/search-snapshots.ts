/**
 * The last saved search index of each environment, so that a start does not analyse every text
 * again.
 *
 * Stored in chunks, because a statement holds its parameters in memory. The first chunk lists the
 * digests of the others, by which an incomplete or changed snapshot is detected.
 */

import { hash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { streamBytes } from '../copy-rows.ts';
import type { Database } from '../database.ts';

const chunkBytes = 1024 * 1024;

type Contents = {
  /** Identifies the format and settings of the index; see SearchIndex.shape. */
  shape: string;
  byteLength: number;
  digests: string[];
};

const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes);

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

/**
 * Replaces the environment's snapshot. Each chunk is a statement of its own, and the list of them
 * comes last: a node that stops in between leaves the former snapshot as it was. If two nodes save
 * at once, the later snapshot counts.
 */
export async function saveSearchSnapshot(
  db: Database,
  environment: string,
  shape: string,
  snapshot: readonly Uint8Array[],
): Promise<void> {
  const byteLength = snapshot.reduce((sum, { length }) => sum + length, 0);
  const contents: Contents = { shape, byteLength, digests: [] };
  const saveId = randomUUID();
  const insert = (chunk: number, bytes: Buffer) =>
    db.kysely.insertInto('search_snapshots').values({ environment, save_id: saveId, chunk, bytes }).execute();
  try {
    for (const bytes of chunksOf(snapshot)) {
      contents.digests.push(digestOf(bytes));
      await insert(contents.digests.length, bytes);
    }
    await insert(0, Buffer.from(JSON.stringify(contents)));
  } catch (error) {
    /** An incomplete snapshot would keep a full disk full. */
    const own = db.kysely.deleteFrom('search_snapshots').where('environment', '=', environment);
    await own
      .where('save_id', '=', saveId)
      .execute()
      .catch(() => undefined);
    throw error;
  }
  await deleteOlderSnapshots(db, environment, saveId);
}

/** Deletes earlier snapshots, and incomplete ones of nodes that stopped. */
async function deleteOlderSnapshots(db: Database, environment: string, saveId: string): Promise<void> {
  await sql`
    with contents as (
      select save_id, saved_at from search_snapshots where environment = ${environment} and chunk = 0
    )
    delete from search_snapshots where environment = ${environment} and (
      save_id in (
        select save_id from contents
        where (saved_at, save_id) < (select saved_at, save_id from contents where save_id = ${saveId})
      )
      or saved_at < now() - interval '1 hour' and save_id not in (select save_id from contents)
    )`.execute(db.kysely);
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
  let chunkCount = 0;
  for await (const bytes of streamBytes(db, select)) {
    if (contents === undefined) {
      contents = readContents(bytes);
      if (contents?.shape !== shape) return undefined;
      snapshot = new Uint8Array(contents.byteLength);
      continue;
    }
    const isWhole = contents.digests[chunkCount++] === digestOf(bytes);
    if (!isWhole || filled + bytes.length > snapshot.length) return undefined;
    snapshot.set(bytes, filled);
    filled += bytes.length;
  }
  return chunkCount === contents?.digests.length ? snapshot.buffer : undefined;
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
