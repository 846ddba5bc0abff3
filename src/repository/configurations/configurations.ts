/** Stores configurations and all versions. A deletion is a version; saves continue after it. */
import { sql } from 'kysely';
import type { DomainError } from '../../errors.ts';
import { type AuditAction, auditPart, nameOfClient } from '../audit/audit-entries.ts';
import { appendedChange, bucketOfChanges } from '../changes/changes.ts';
import { type Database, queryRaw } from '../database.ts';
import { writeConflict } from '../failures.ts';
import { nextLocalNumbers } from '../feeds.ts';
import { draftErasedWith } from './drafts.ts';

/** The pool or one transaction. */
type Executor = Pick<Database, 'kysely' | 'pool'>;

export type ConfigurationRow = {
  configurationId: string;
  /** Counts the writes of this configuration, from 1. */
  version: number;
  deleted: boolean;
  /** The document as received; absent when deleted. */
  document?: unknown;
  updatedAt: Date;
};

export type ConfigurationVersionRow = {
  configurationId: string;
  version: number;
  /** Absent if this version is a deletion. */
  document?: unknown;
  createdAt: Date;
  clientId?: string;
  /** Name of the client or person. */
  clientName?: string;
  comment?: string;
};

export type ConfigurationWrite = {
  configurationId: string;
  /** The version last read; 0 requires that none exists. Absent: replaces any version. */
  expectedVersion?: number;
  /** API client that writes, for the version history and the audit log. */
  clientId?: string;
  requestId?: string;
  comment?: string;
};

export async function listConfigurationIds(db: Database): Promise<string[]> {
  const found = db.kysely
    .selectFrom('configurations')
    .select('configuration_id')
    .where('deleted', '=', false);
  const rows = await found.orderBy('configuration_id').execute();
  return rows.map((row) => row.configuration_id);
}

/** The newest version of a configuration, without its document. */
export type ConfigurationHead = Pick<ConfigurationRow, 'configurationId' | 'version' | 'updatedAt'>;

/** Lists stored configurations in the order of the ids, after `afterId` if given. */
export async function listConfigurationHeads(
  db: Database,
  { afterId = '', onlyId, limit }: { afterId?: string; onlyId?: string; limit: number },
): Promise<ConfigurationHead[]> {
  const stored = db.kysely
    .selectFrom('configurations')
    .select(['configuration_id as configurationId', 'version', 'updated_at as updatedAt'])
    .where('deleted', '=', false)
    .where('configuration_id', '>', afterId);
  const found = onlyId === undefined ? stored : stored.where('configuration_id', '=', onlyId);
  return found.orderBy('configuration_id').limit(limit).execute();
}

export async function listDocuments(
  db: Database,
): Promise<Pick<ConfigurationRow, 'configurationId' | 'document'>[]> {
  const found = db.kysely
    .selectFrom('configurations')
    .select(['configuration_id as configurationId', 'document']);
  return found.where('deleted', '=', false).orderBy('configuration_id').execute();
}

/** Finds a configuration; undefined when unknown or deleted. */
export async function findConfiguration(
  db: Executor,
  configurationId: string,
): Promise<ConfigurationRow | undefined> {
  return db.kysely
    .selectFrom('configurations')
    .select([
      'configuration_id as configurationId',
      'version',
      'deleted',
      'document',
      'updated_at as updatedAt',
    ])
    .where('configuration_id', '=', configurationId)
    .where('deleted', '=', false)
    .executeTakeFirst();
}

/** Stores a new version and returns it; VERSION_CONFLICT unless the expected one is current. */
export async function saveConfiguration(
  db: Executor,
  write: ConfigurationWrite & { document: unknown },
): Promise<number> {
  return saveText(db, write, { action: 'configurations.put', document: JSON.stringify(write.document) });
}

/** Former versions that are read for `follow`. */
const mostFormerVersions = 50;

/**
 * Stores a new version and those that follow from the former ones, all or none.
 *
 * @param follow Returns the documents of further versions. @param former Newest first, at most 50.
 */
export async function saveConfigurations(
  db: Database,
  write: ConfigurationWrite & { document: unknown },
  follow?: (former: ConfigurationVersionRow[]) => unknown[],
): Promise<{ version: number; followers: unknown[] }> {
  const { configurationId } = write;
  if (!follow) return { version: await saveConfiguration(db, write), followers: [] };
  return db.kysely.transaction().execute(async (kysely) => {
    const within = { kysely, pool: db.pool };
    const version = await saveConfiguration(within, write);
    const page = { beforeVersion: version, limit: mostFormerVersions };
    const followers = follow(await listConfigurationVersions(within, configurationId, page));
    for (const [place, document] of followers.entries())
      await saveConfiguration(within, { ...write, document, expectedVersion: version + place });
    return { version, followers };
  });
}

/** Restores an earlier version byte for byte; undefined when it is unknown or a deletion. */
export async function restoreConfiguration(
  db: Database,
  write: ConfigurationWrite & { version: number },
): Promise<number | undefined> {
  const found = await db.kysely
    .selectFrom('configuration_versions')
    .select(({ cast, ref }) => cast<string | null>(ref('document'), 'text').as('text'))
    .where('configuration_id', '=', write.configurationId)
    .where('version', '=', write.version)
    .executeTakeFirst();
  const text = found?.text ?? undefined;
  if (text === undefined) return undefined;
  return saveText(db, write, { action: 'configurations.roll_back', document: text });
}

async function saveText(
  db: Executor,
  write: ConfigurationWrite,
  { action, document }: { action: AuditAction; document: string },
): Promise<number> {
  const { configurationId, expectedVersion = null } = write;
  const former = await findConfiguration(db, configurationId);
  const bucket = await bucketOfChanges(db);
  const statement = sql<{ version: number }>`
    with ${nextLocalNumbers('configurations', 1)},
    saved as (
      insert into configurations as current (configuration_id, version, deleted, document)
      select ${configurationId}, 1, false, ${document}::json
      where coalesce(${expectedVersion}::int, 0) = 0
        or exists (select from configurations where configuration_id = ${configurationId})
      on conflict (configuration_id) do update
        set deleted = false, document = excluded.document, ${nextVersion}
        where ${isExpected(expectedVersion)}
      returning configuration_id, version, document
    ),
    ${appendVersion(write)},
    ${auditOf(write, action)}
    select version, ${published(bucket, [JSON.parse(document), former?.document])} from saved`;
  const { rows } = await statement.execute(db.kysely);
  if (rows.length === 0) throw await versionConflict(db, write);
  return rows[0].version;
}

/** Returns the version that records the deletion, or undefined when there is nothing to delete. */
export async function deleteConfiguration(
  db: Database,
  write: ConfigurationWrite,
): Promise<number | undefined> {
  const { configurationId, expectedVersion = null } = write;
  const former = await findConfiguration(db, configurationId);
  const bucket = await bucketOfChanges(db);
  const statement = sql`
    with ${nextLocalNumbers('configurations', 1)},
    saved as (
      update configurations as current set deleted = true, document = null, ${nextVersion}
      where configuration_id = ${configurationId} and not deleted and ${isExpected(expectedVersion)}
      returning configuration_id, version, document
    ),
    ${appendVersion(write)},
    ${draftErasedWith('saved')},
    ${auditOf(write, 'configurations.delete')}
    select version, ${published(bucket, [former?.document])} from saved`;
  const rows = await queryRaw<{ version: number }>(db, statement);
  if (rows.length > 0) return rows[0].version;
  const isThere = (await findConfiguration(db, configurationId)) !== undefined;
  if (isThere && expectedVersion !== null) throw await versionConflict(db, write);
  return undefined;
}

/** Lists versions, newest first, below `beforeVersion` if given. */
export async function listConfigurationVersions(
  db: Executor,
  configurationId: string,
  page: { beforeVersion?: number; limit: number },
): Promise<ConfigurationVersionRow[]> {
  const rows = await selectVersions(db)
    .where('configuration_id', '=', configurationId)
    .where('version', '<', page.beforeVersion ?? 2_147_483_647)
    .orderBy('version', 'desc')
    .limit(page.limit)
    .execute();
  return rows.map(readVersion);
}

export async function findConfigurationVersion(
  db: Database,
  configurationId: string,
  version: number,
): Promise<ConfigurationVersionRow | undefined> {
  const row = await selectVersions(db)
    .where('configuration_id', '=', configurationId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row && readVersion(row);
}

export type NumberedVersion = ConfigurationVersionRow & { number: number };

/** Lists versions after an offset in commit order, including deletions. */
export async function listVersionsAfter(
  db: Database,
  sinceNumber: number,
  limit: number,
): Promise<NumberedVersion[]> {
  const rows = await selectVersions(db)
    .select('number')
    .where('number', '>', sinceNumber)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...readVersion(row), number: row.number }));
}

const selectVersions = (db: Executor) =>
  db.kysely
    .selectFrom('configuration_versions')
    .select(['configuration_id as configurationId', 'version', 'document', 'comment'])
    .select(['created_at as createdAt', 'client_id as clientId'])
    .select(nameOfClient('configuration_versions').as('clientName'));

type VersionRow = { [Name in keyof ConfigurationVersionRow]-?: ConfigurationVersionRow[Name] | null } & Pick<
  ConfigurationVersionRow,
  'configurationId' | 'version' | 'createdAt'
>;

const nextVersion = sql.raw('version = current.version + 1, updated_at = now()');

function isExpected(version: number | null) {
  return sql`(${version}::int is null or current.version = ${version}
    or (${version} = 0 and current.deleted) or (${version} = -1 and not current.deleted))`;
}

function appendVersion({ clientId = undefined, comment = undefined }: ConfigurationWrite) {
  return sql`appended as (
    insert into configuration_versions (configuration_id, version, document, client_id, comment, number)
    select configuration_id, version, document, ${clientId ?? null}, ${comment ?? null}, taken.last
    from saved cross join taken
  )`;
}

/** Names the environments that any of the documents has; none stands for all. */
function published(bucket: number, documents: readonly unknown[]) {
  const named = documents
    .filter(Boolean)
    .map((one) => (one as { environments?: string[] }).environments ?? []);
  const environments = named.some((names) => names.length === 0) ? [] : [...new Set(named.flat())].sort();
  const data = sql`json_build_object('configuration_id', configuration_id, 'version', version,
    'deleted', document is null, 'environments', ${JSON.stringify(environments)}::json)`;
  return appendedChange({ bucket, environment: sql`''`, kind: 'configuration.published', data });
}

/** Audits a write; the same statement still reads the previous document. */
function auditOf({ configurationId, clientId, requestId }: ConfigurationWrite, action: AuditAction) {
  return auditPart({
    clientId,
    requestId,
    action,
    resource: sql`'configurations/' || configuration_id`,
    before: sql`(select document from configurations as former
      where former.configuration_id = ${configurationId} and not former.deleted)`,
    after: sql`document`,
    from: sql`saved`,
  });
}

async function versionConflict(db: Executor, write: ConfigurationWrite): Promise<DomainError> {
  const { configurationId, expectedVersion: expected } = write;
  const current = (await findConfiguration(db, configurationId))?.version ?? 0;
  const metadata = { configuration_id: configurationId };
  return writeConflict(`Configuration "${configurationId}" is`, 'version', { current, expected }, metadata);
}

function readVersion(row: VersionRow): ConfigurationVersionRow {
  return {
    ...row,
    document: row.document ?? undefined,
    clientId: row.clientId ?? undefined,
    clientName: row.clientName ?? undefined,
    comment: row.comment ?? undefined,
  };
}
