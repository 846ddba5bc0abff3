/**
 * Trained models by environment and version, and which version is served. An artefact says itself whether it is whole.
 *
 * In chunks, because a statement holds its parameters in memory; uncompressed, because numbers hardly compress.
 */

import { sql } from 'kysely';
import pg from 'pg';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { roomIn, streamBytes } from '../copy/byte-copy.ts';
import { type Database, query, queryRaw } from '../database.ts';
import type { Shape } from '../row-shape.ts';

const chunkBytes = 4 * 1024 * 1024;

/** Versions kept of an environment: the one in use, and what one can go back to. */
const keptVersions = 3;

export type ServedVersion = {
  environment: string;
  version: number;
  /** Somebody went back to this version: only a training that is asked for replaces it. */
  held: boolean;
};

/** A training as a node began it; what was given back and begun again is another one. */
export type TrainingClaim = { trainingId: string; node: string; attempts: number };

/**
 * Stores an artefact as the environment's next version and serves it; older versions than the last few are
 * deleted. Undefined, and nothing is served, when somebody holds the version in use, when a newer version is
 * served by then, or when the training is not the running one any more: a node that was paused has lost it.
 *
 * Each chunk is a statement of its own, and what is served changes with the last one: a node that stops here
 * leaves a version that nobody serves, and holds up nobody.
 *
 * @param lifts Ends a hold, for what somebody asked for.
 * @param claim The training that made it; absent for what no record tells of.
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

/** A full disk must not be kept full by it, nor by each further attempt. What was served after all is whole. */
async function deleteUnfinished(db: Database, environment: string, version: number): Promise<void> {
  await db.kysely
    .deleteFrom('model_versions')
    .where('environment', '=', environment)
    .where('version', '=', version)
    .where('is_whole', '=', false)
    .execute();
}

/** What a node left half stored is none of those that one can go back to. */
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

const versionShape: Shape<{ version: number }> = { version: 'int4' };

type ArtefactSize = { byteLength: number; chunkCount: number };

/** Of nodes that ask at the same moment each gets a version of its own. */
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
    const [claimed] = await queryRaw(db, statement, versionShape);
    if (claimed) return claimed.version;
  }
}

/**
 * False when it is held, or has been overtaken. The record of the training is locked: it stays what it is until the end.
 * What lies between the version in use and this one was left by going back, and goes: one goes back to what was in use.
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
  return (await queryRaw(db, statement, versionShape)).length > 0;
}

const servedStatement = 'select environment, version, held from served_models where environment = any($1)';

const servedShape: Shape<ServedVersion> = { environment: 'text', version: 'int4', held: 'bool' };

export function listServedVersions(db: Database, environments: readonly string[]): Promise<ServedVersion[]> {
  const statement = { name: 'list-served-models', text: servedStatement, values: [environments] };
  return query(db, statement, servedShape);
}

export async function findServedVersion(
  db: Database,
  environment: string,
): Promise<ServedVersion | undefined> {
  return (await listServedVersions(db, [environment]))[0];
}

/** What is kept, the newest first. */
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

/** Undefined when there is no such version, or none any more. Each chunk goes where it belongs, so that memory holds it once. */
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
  for await (const _ of streamBytes(db, select, roomIn(artefact)));
  return artefact;
}

/** Serves the newest version before the one in use, and holds it; undefined when there is none. */
export async function rollBackModels(
  db: Database,
  environment: string,
  actor: Actor = {},
): Promise<number | undefined> {
  const statement = sql`
    with saved as (update served_models as served set version = before.version, held = true
    from (
      select max(model_versions.version) as version from model_versions
      join served_models using (environment)
      where environment = ${environment} and is_whole and model_versions.version < served_models.version
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
  return (await queryRaw(db, statement, versionShape))[0]?.version;
}
