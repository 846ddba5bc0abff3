/**
 * Trained models by environment and version, and the version that is served. An artefact carries
 * its own checksum.
 *
 * Stored in chunks, because a statement holds its parameters in memory; uncompressed, because
 * numbers hardly compress.
 */

import { sql } from 'kysely';
import pg from 'pg';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { streamBytes } from '../copy-rows.ts';
import { type Database, queryRaw } from '../database.ts';

const chunkBytes = 4 * 1024 * 1024;

/** Versions kept of an environment: the served one, and those it can be rolled back to. */
const keptVersions = 3;

type ServedVersion = {
  environment: string;
  version: number;
  /** Rolled back to: only a training on demand replaces it. */
  held: boolean;
};

export type TrainingClaim = { trainingId: string; node: string; attempts: number };

/**
 * Stores an artefact as the environment's next version, serves it, and deletes old versions.
 * Returns undefined and serves nothing when the served version is held, a newer version is served
 * already, or the node has lost the training.
 *
 * Each chunk is a statement of its own, and the served version changes with the last one: a node
 * that stops in between leaves a version that is never served, and no lock.
 *
 * @param lifts Ends a hold, for trainings on demand.
 * @param claim The training that made it; absent where no training is recorded.
 */
export async function publishModels(
  db: Database,
  environment: string,
  artefact: SharedArrayBuffer,
  { lifts, claim }: { lifts: boolean; claim?: TrainingClaim },
): Promise<number | undefined> {
  const served = await findServedVersion(db, environment);
  if (served?.held && !lifts) return undefined;
  const chunkCount = Math.ceil(artefact.byteLength / chunkBytes);
  const version = await claimVersion(db, environment, { byteLength: artefact.byteLength, chunkCount });
  let isServed: boolean;
  try {
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      const start = chunk * chunkBytes;
      const bytes = Buffer.from(artefact, start, Math.min(chunkBytes, artefact.byteLength - start));
      await db.kysely.insertInto('model_snapshots').values({ environment, version, chunk, bytes }).execute();
    }
    isServed = await serveVersion(db, { environment, version }, { lifts, claim });
  } catch (error) {
    await deleteUnfinished(db, environment, version).catch(() => undefined);
    throw error;
  }
  await deleteOldVersions(db, environment, version);
  return isServed ? version : undefined;
}

/** Deletes a version after a failure, to free the disk. If it was served after all, it is whole and stays. */
async function deleteUnfinished(db: Database, environment: string, version: number): Promise<void> {
  await db.kysely
    .deleteFrom('model_versions')
    .where('environment', '=', environment)
    .where('version', '=', version)
    .where('is_whole', '=', false)
    .execute();
}

/** Deletes old versions, and incomplete ones of nodes that stopped. */
async function deleteOldVersions(db: Database, environment: string, newest: number): Promise<void> {
  const whole = db.kysely
    .selectFrom('model_versions')
    .select('version')
    .where('environment', '=', environment)
    .where('is_whole', '=', true)
    .orderBy('version', 'desc');
  await db.kysely
    .deleteFrom('model_versions')
    .where('environment', '=', environment)
    .where('version', '<=', newest - keptVersions)
    .where(({ eb, or }) =>
      or([eb('is_whole', '=', false), eb('version', '<', whole.offset(keptVersions - 1).limit(1))]),
    )
    .where('version', 'not in', ({ selectFrom }) =>
      selectFrom('served_models').select('version').where('environment', '=', environment),
    )
    .execute();
}

type ArtefactSize = { byteLength: number; chunkCount: number };

/** Claims a unique version number. */
async function claimVersion(
  db: Database,
  environment: string,
  { byteLength, chunkCount }: ArtefactSize,
): Promise<number> {
  for (;;) {
    const statement = sql`
      insert into model_versions (environment, version, byte_length, chunk_count)
      select ${environment}, coalesce(max(version), 0) + 1, ${byteLength}::bigint, ${chunkCount}::int
      from model_versions where environment = ${environment}
      on conflict do nothing returning version`;
    const [claimed] = await queryRaw<{ version: number }>(db, statement);
    if (claimed) return claimed.version;
  }
}

/**
 * Returns false when the served version is held or newer. The record of the training is locked
 * until the end. Versions between the served one and this one are deleted: they had been rolled
 * back, and a rollback must lead to a version that was served.
 */
async function serveVersion(
  db: Database,
  { environment, version }: Omit<ServedVersion, 'held'>,
  { lifts, claim }: { lifts: boolean; claim?: TrainingClaim },
): Promise<boolean> {
  const isRunning = claim
    ? sql`and exists (
        select from trainings where training_id::text = ${claim.trainingId} and state = 'running'
          and node = ${claim.node} and attempts = ${claim.attempts} for share)`
    : sql``;
  const statement = sql`
    with former as (
      select version from served_models where environment = ${environment} for update
    ), whole as (
      update model_versions set is_whole = true
      where environment = ${environment} and version = ${version} ${isRunning}
      returning environment, version
    ), served as (
      insert into served_models as known (environment, version)
      select environment, whole.version from whole left join former on true
      on conflict (environment) do update set version = excluded.version, held = false
        where (not known.held or ${lifts}) and known.version < excluded.version
      returning environment, version
    ), passed_over as (
      delete from model_versions as passed using former, served
      where passed.environment = served.environment and passed.is_whole
        and passed.version > former.version and passed.version < served.version
    )
    select version from served`;
  return (await queryRaw<{ version: number }>(db, statement)).length > 0;
}

export function listServedVersions(
  { kysely }: Database,
  environments: readonly string[],
): Promise<ServedVersion[]> {
  const served = kysely.selectFrom('served_models').select(['environment', 'version', 'held']);
  return served.where(sql<boolean>`environment = any(${environments})`).execute();
}

export async function findServedVersion(
  db: Database,
  environment: string,
): Promise<ServedVersion | undefined> {
  return (await listServedVersions(db, [environment]))[0];
}

/** Lists the complete versions, the newest first. */
export async function listModelVersions(db: Database, environment: string): Promise<number[]> {
  const rows = await db.kysely
    .selectFrom('model_versions')
    .select('version')
    .where('environment', '=', environment)
    .where('is_whole', '=', true)
    .orderBy('version', 'desc')
    .execute();
  return rows.map(({ version }) => version);
}

/** Returns undefined when the version does not exist. */
export async function findModelVersion(
  db: Database,
  environment: string,
  version: number,
): Promise<SharedArrayBuffer | undefined> {
  const found = await db.kysely
    .selectFrom('model_versions')
    .select('byte_length')
    .where('environment', '=', environment)
    .where('version', '=', version)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const artefact = new SharedArrayBuffer(found.byte_length);
  const select = `
    select bytes from model_snapshots
    where environment = ${pg.escapeLiteral(environment)} and version = ${Number(version)} order by chunk`;
  let filled = 0;
  for await (const bytes of streamBytes(db, select)) {
    new Uint8Array(artefact).set(bytes, filled);
    filled += bytes.length;
  }
  return artefact;
}

/**
 * Serves and holds another version; returns undefined when it is not kept or served already.
 *
 * @param wanted [the newest version before the served one]
 */
export async function rollBackModels(
  db: Database,
  environment: string,
  actor: Actor = {},
  wanted?: number,
): Promise<number | undefined> {
  const isWanted =
    wanted === undefined
      ? sql`model_versions.version < served_models.version`
      : sql`model_versions.version = ${wanted} and model_versions.version <> served_models.version`;
  const statement = sql`
    with saved as (update served_models as served set version = before.version, held = true
    from (
      select max(model_versions.version) as version from model_versions
      join served_models using (environment)
      where environment = ${environment} and is_whole and ${isWanted}
    ) as before
    where served.environment = ${environment} and before.version is not null
    returning served.environment, served.version),
    ${auditPart({
      ...actor,
      action: 'models.roll_back',
      resource: sql`'models'`,
      environment: sql`environment`,
      before: sql`(select json_build_object('version', former.version) from served_models as former
        where former.environment = ${environment})`,
      after: sql`json_build_object('version', version)`,
      from: sql`saved`,
    })}
    select version from saved`;
  return (await queryRaw<{ version: number }>(db, statement))[0]?.version;
}
