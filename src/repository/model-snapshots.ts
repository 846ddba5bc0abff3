/**
 * Trained models as they were published last: one artefact an environment, which says itself whether it is whole.
 *
 * In chunks, because a statement holds its parameters in memory; uncompressed, because numbers hardly compress.
 */

import { sql } from 'kysely';
import type { Database } from './database.ts';

const chunkBytes = 4 * 1024 * 1024;

/** Replaces the environment's snapshot, all or nothing. */
export async function saveModelSnapshot(
  db: Database,
  environment: string,
  artefact: SharedArrayBuffer,
): Promise<void> {
  await db.kysely.transaction().execute(async (transaction) => {
    await sql`delete from model_snapshots where environment = ${environment}`.execute(transaction);
    for (let chunk = 0; chunk * chunkBytes < artefact.byteLength; chunk++) {
      const start = chunk * chunkBytes;
      const bytes = Buffer.from(artefact, start, Math.min(chunkBytes, artefact.byteLength - start));
      await sql`insert into model_snapshots (environment, chunk, bytes) values (${environment}, ${chunk}, ${bytes})`.execute(
        transaction,
      );
    }
  });
}

/** Undefined when nothing was saved yet. */
export async function findModelSnapshot(
  db: Database,
  environment: string,
): Promise<SharedArrayBuffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer }>`
    select bytes from model_snapshots where environment = ${environment} order by chunk`.execute(db.kysely);
  if (rows.length === 0) return undefined;
  const artefact = new Uint8Array(
    new SharedArrayBuffer(rows.reduce((sum, { bytes }) => sum + bytes.length, 0)),
  );
  let offset = 0;
  for (const { bytes } of rows) {
    artefact.set(bytes, offset);
    offset += bytes.length;
  }
  return artefact.buffer as SharedArrayBuffer;
}
