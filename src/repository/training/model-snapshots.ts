/**
 * Trained models by environment and version, and which version is served. An artefact says itself whether it is whole.
 *
 * In chunks, because a statement holds its parameters in memory; uncompressed, because numbers hardly compress.
 */

import { sql } from 'kysely';
import pg from 'pg';
import { streamBytes } from '../copy/byte-copy.ts';
import { type Database, query } from '../database.ts';

const chunkBytes = 4 * 1024 * 1024;

/** Versions kept of an environment: the one in use, and what one can go back to. */
const keptVersions = 3;

/** Any number, as long as nothing else takes it. */
const publicationLock = 7_317_004;

export type ServedVersion = {
  environment: string;
  version: number;
  /** Somebody went back to this version: only a training that is asked for replaces it. */
  held: boolean;
};

/**
 * Stores an artefact as the environment's next version and serves it, all or nothing; older versions than the last few are
 * deleted. Undefined, and nothing is stored, when somebody holds the version in use.
 *
 * @param lifts Ends a hold, for what somebody asked for.
 */
export async function publishModels(
  db: Database,
  environment: string,
  artefact: SharedArrayBuffer,
  { lifts }: { lifts: boolean },
): Promise<number | undefined> {
  return db.kysely.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(publicationLock)}, hashtext(${environment}))`.execute(
      transaction,
    );
    const held = await sql`
      select from served_models where environment = ${environment} and held for update`.execute(transaction);
    if (held.rows.length > 0 && !lifts) return undefined;
    const chunkCount = Math.ceil(artefact.byteLength / chunkBytes);
    const { rows } = await sql<{ version: number }>`
      insert into model_versions (environment, version, byte_length, chunk_count)
      select ${environment}, coalesce(max(version), 0) + 1, ${artefact.byteLength}, ${chunkCount}
      from model_versions where environment = ${environment}
      returning version`.execute(transaction);
    const { version } = rows[0];
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      const start = chunk * chunkBytes;
      const bytes = Buffer.from(artefact, start, Math.min(chunkBytes, artefact.byteLength - start));
      await sql`
        insert into model_snapshots (environment, version, chunk, bytes)
        values (${environment}, ${version}, ${chunk}, ${bytes})`.execute(transaction);
    }
    await sql`
      insert into served_models (environment, version) values (${environment}, ${version})
      on conflict (environment) do update set version = excluded.version, held = false`.execute(transaction);
    await sql`
      delete from model_versions where environment = ${environment} and version <= ${version - keptVersions}`.execute(
      transaction,
    );
    return version;
  });
}

const servedStatement = 'select environment, version, held from served_models where environment = any($1)';

export function listServedVersions(db: Database, environments: readonly string[]): Promise<ServedVersion[]> {
  return query(db, { name: 'list-served-models', text: servedStatement, values: [environments] });
}

export async function findServedVersion(
  db: Database,
  environment: string,
): Promise<ServedVersion | undefined> {
  return (await listServedVersions(db, [environment]))[0];
}

/** What is kept, the newest first. */
export async function listModelVersions(db: Database, environment: string): Promise<number[]> {
  const { rows } = await sql<{ version: number }>`
    select version from model_versions where environment = ${environment} order by version desc`.execute(
    db.kysely,
  );
  return rows.map(({ version }) => version);
}

/** Undefined when there is no such version, or none any more. Chunk by chunk, so that memory holds it once. */
export async function findModelVersion(
  db: Database,
  environment: string,
  version: number,
): Promise<SharedArrayBuffer | undefined> {
  const { rows } = await sql<{ byteLength: number }>`
    select byte_length as "byteLength" from model_versions
    where environment = ${environment} and version = ${version}`.execute(db.kysely);
  if (rows.length === 0) return undefined;
  const artefact = new Uint8Array(new SharedArrayBuffer(rows[0].byteLength));
  const chunks = streamBytes(
    db,
    `select bytes from model_snapshots
     where environment = ${pg.escapeLiteral(environment)} and version = ${Number(version)} order by chunk`,
  );
  let offset = 0;
  for await (const bytes of chunks) {
    artefact.set(bytes.subarray(0, artefact.length - offset), offset);
    offset = Math.min(artefact.length, offset + bytes.length);
  }
  return artefact.buffer as SharedArrayBuffer;
}

/** Serves the newest version before the one in use, and holds it; undefined when there is none. */
export async function rollBackModels(db: Database, environment: string): Promise<number | undefined> {
  const { rows } = await sql<{ version: number }>`
    with turn as materialized (select pg_advisory_xact_lock(${sql.lit(publicationLock)}, hashtext(${environment})))
    update served_models as served set version = before.version, held = true
    from (
      select max(model_versions.version) as version from turn, model_versions
      join served_models using (environment)
      where environment = ${environment} and model_versions.version < served_models.version
    ) as before
    where served.environment = ${environment} and before.version is not null
    returning served.version`.execute(db.kysely);
  return rows[0]?.version;
}
