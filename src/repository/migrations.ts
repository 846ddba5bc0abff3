/** Brings the schema up to date, once, however many nodes start together. */
import { type Migration, Migrator } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import { DomainError } from '../errors.ts';
import { bucketCountSetting, defaultBucketCount } from './buckets.ts';
import { connect, type Database, kyselyOn, query, queryOn, translateError } from './database.ts';
import { distributeFunctions, distributeTables, isCluster } from './distribution.ts';
import { functionsChecksum, makeFunctionsText } from './functions/functions.ts';
import { locks } from './locks.ts';
import * as buckets from './migrations/001-buckets.ts';
import * as items from './migrations/002-items.ts';
import * as configurations from './migrations/003-configurations.ts';
import * as events from './migrations/004-events.ts';
import * as histories from './migrations/005-histories.ts';
import * as metrics from './migrations/006-metrics.ts';
import * as lists from './migrations/007-lists.ts';
import * as security from './migrations/008-security.ts';
import * as trainings from './migrations/009-trainings.ts';
import * as audiences from './migrations/010-audiences.ts';
import * as search from './migrations/011-search.ts';
import * as people from './migrations/012-people.ts';
import * as audit from './migrations/013-audit.ts';
import * as synonyms from './migrations/014-synonyms.ts';
import * as batches from './migrations/015-batches.ts';
import * as learntBlends from './migrations/017-learnt-blends.ts';
import * as typedQueries from './migrations/018-typed-queries.ts';
import * as consumed from './migrations/019-consumed.ts';
import * as combinations from './migrations/020-combinations.ts';
import * as eventSources from './migrations/022-event-sources.ts';
import * as queryWitnesses from './migrations/025-query-witnesses.ts';
import * as blockedQueries from './migrations/026-blocked-queries.ts';
import { keySetting, makeKey } from './people/marks.ts';
import type { Shape } from './row-shape.ts';
import { checkWritableServer } from './server-check.ts';
import { findSetting } from './settings.ts';

/** Names decide the order and are remembered in the database: never rename one, never change one. */
const migrations: Record<string, Migration> = {
  '001-buckets': buckets,
  '002-items': items,
  '003-configurations': configurations,
  '004-events': events,
  '005-histories': histories,
  '006-metrics': metrics,
  '007-lists': lists,
  '008-security': security,
  '009-trainings': trainings,
  '010-audiences': audiences,
  '011-search': search,
  '012-people': people,
  '013-audit': audit,
  '014-synonyms': synonyms,
  '015-batches': batches,
  '017-learnt-blends': learntBlends,
  '018-typed-queries': typedQueries,
  '019-consumed': consumed,
  '020-combinations': combinations,
  '022-event-sources': eventSources,
  '025-query-witnesses': queryWitnesses,
  '026-blocked-queries': blockedQueries,
};

/** Kysely's own. */
const migrationTable = 'kysely_migration';

/** In `settings`: which functions the database has. Without it a database is not up to date. */
export const checksumSetting = 'functions';

/** In `settings` from the rows of a backup until a restored database may be used. */
export const restoringSetting = 'restoring';

/** Of a migration for a table, and after that of nobody, for those who stood behind it. */
const mostWaitMs = 500;
const giveWaySeconds = 2;

/** Nobody holds the lock, so who restored has ended. */
async function assertRestored(client: pg.PoolClient): Promise<void> {
  const text = `select to_regclass(quote_ident($1) || '.settings') is not null as "isMade"`;
  const values = [await findSchema(client)];
  const [{ isMade }] = await queryOn<{ isMade: boolean }>(client, { text, values }, { isMade: 'bool' });
  if (!isMade) return;
  const { rowCount } = await client.query('select from settings where key = $1', [restoringSetting]);
  if (!rowCount) return;
  const message = 'A restore of this database broke off; restore into a new one.';
  throw new DomainError('UNAVAILABLE', message);
}

export type MigrateOptions = {
  /** Of a database that is filled now; one that was filled before keeps its own [4]. */
  bucketCount?: number;
  /** Is told each migration that ran, and how long it took. */
  logger?: Pick<Logger, 'info'>;
};

/**
 * Applies what is missing. Nodes that start together wait for the first; a node that finds everything
 * done waits for nobody. Returns the names of what was applied here.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<string[]> {
  await checkWritableServer(db);
  assertUpgradable(await listApplied(db));
  if (await isUpToDate(db)) return [];
  const client = await connect(db);
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0');
    /** A node that stops while it migrates lets go after this time. */
    await client.query(`set idle_session_timeout = '30s'; set idle_in_transaction_session_timeout = '30s'`);
    await client.query('select pg_advisory_lock($1)', [locks.migration]);
    await assertRestored(client);
    const applied = await makeSchema(client, options);
    await markUpToDate(client);
    return applied;
  } catch (error) {
    throw otherTables(error) ?? translateError(error);
  } finally {
    client.release(true);
  }
}

/** Tables and functions of this program; the caller holds the lock of migrations. Returns what was applied. */
export async function makeSchema(
  client: pg.PoolClient,
  { bucketCount, logger }: MigrateOptions = {},
): Promise<string[]> {
  const applied = await applyMissing(client, logger);
  for (const [key, value] of [
    [bucketCountSetting, bucketCount ?? defaultBucketCount],
    [keySetting, makeKey()],
  ])
    await client.query('insert into settings (key, value) values ($1, $2) on conflict do nothing', [
      key,
      JSON.stringify(value),
    ]);
  await makeFunctions(client);
  return applied;
}

/**
 * All in one transaction. Whatever else uses a table stands behind a statement that waits to change it: while somebody reads the
 * table for long, such as a backup, it gives way again and again, so that nodes go on.
 */
async function applyMissing(client: pg.PoolClient, logger: MigrateOptions['logger']): Promise<string[]> {
  const durationsMs = new Map<string, number>();
  for (;;) {
    await client.query(`set lock_timeout = ${mostWaitMs}`);
    const { error, results = [] } = await (await migratorOn(client, durationsMs)).migrateToLatest();
    await client.query('set lock_timeout = 0');
    if (error === undefined) {
      const applied = results.map(({ migrationName }) => migrationName);
      for (const migration of applied)
        logger?.info({ migration, duration_ms: durationsMs.get(migration) }, 'A migration ran.');
      return applied;
    }
    if (!isLockTimeout(error)) throw error;
    await client.query('select pg_sleep($1)', [giveWaySeconds]);
  }
}

const isLockTimeout = (error: unknown) =>
  error instanceof Error && (error.cause as pg.DatabaseError | undefined)?.code === '55P03';

/** Told its schema, Kysely does not take another schema's tables, of another program that uses it, for ours. */
async function migratorOn(
  client: pg.PoolClient,
  durationsMs: Map<string, number> = new Map(),
): Promise<Migrator> {
  const schema = await findSchema(client);
  const provider = { getMigrations: async () => timed(durationsMs) };
  return new Migrator({ db: kyselyOn(client), provider, migrationTableSchema: schema ?? undefined });
}

/** The migrations; each enters how long it took. */
function timed(durationsMs: Map<string, number>): Record<string, Migration> {
  const entries = Object.entries(migrations).map(([name, { up }]): [string, Migration] => {
    const timedUp: Migration['up'] = async (db) => {
      const startMs = performance.now();
      await up(db);
      durationsMs.set(name, Math.round(performance.now() - startMs));
    };
    return [name, { up: timedUp }];
  });
  return Object.fromEntries(entries);
}

/** Where our tables are or will be; in others, which are looked at after it, other programs may have tables of these names. */
export async function findSchema(client: Pick<pg.ClientBase, 'query'>): Promise<string | null> {
  const text = `select coalesce(
    (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where pg_class.oid = to_regclass($1)),
    current_schema()
  )::text as schema`;
  const shape: Shape<{ schema: string | null }> = { schema: 'text?' };
  const [{ schema }] = await queryOn(client, { text, values: [migrationTable] }, shape);
  return schema;
}

/** They keep the search path that they are made with, and look there alone for the tables, whoever calls them. */
async function makeFunctions(client: pg.PoolClient): Promise<void> {
  await client.query(`select set_config('search_path', quote_ident($1), false)`, [await findSchema(client)]);
  const isSharded = await isCluster(client);
  if (isSharded) await distributeTables(client);
  await client.query(makeFunctionsText(isSharded));
  if (isSharded) await distributeFunctions(client);
}

/** From now on nodes use the database. */
export async function markUpToDate(client: pg.PoolClient): Promise<void> {
  await client.query('delete from settings where key = $1', [restoringSetting]);
  await client.query(
    `insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value`,
    [checksumSetting, JSON.stringify(functionsChecksum)],
  );
}

/**
 * Refuses the database of another line of versions. A newer version has all our migrations and more after them. Anything else
 * was written by a development version, whose tables no migration leads on from.
 */
function assertUpgradable(applied: readonly string[]): void {
  const unknown = listUnknown(applied);
  if (isOfOurLine(applied)) {
    if (unknown.length === 0) return;
    const names = unknown.join(', ');
    const message = `The database is of a newer version of this program (it has ${names}): start that version.`;
    throw new DomainError('UNAVAILABLE', message, { metadata: { migrations: names } });
  }
  const missing = Object.keys(migrations).find((name, place) => applied[place] !== name);
  const why = unknown.length > 0 ? `it has ${unknown.join(', ')}` : `it lacks ${missing}`;
  throw ofDevelopment(why);
}

/** By SQLSTATE: a table or column that a migration makes is there already, or one that it needs is not. */
const tableFaults = new Set(['42P01', '42P07', '42701', '42703', '42710']);

/** The error for tables that are not what our migrations make; undefined for any other fault. */
function otherTables(error: unknown): DomainError | undefined {
  const { code, message } = databaseErrorOf(error) ?? {};
  if (code === undefined || !tableFaults.has(code)) return undefined;
  return ofDevelopment(message!, error);
}

/** The driver's error may stand behind the one that translates it. */
function databaseErrorOf(error: unknown): { code?: string; message: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  return error instanceof DomainError ? databaseErrorOf(error.cause) : error;
}

function ofDevelopment(why: string, cause?: unknown): DomainError {
  const message =
    `The tables of the database are of an older development version, or of another program (${why}). They cannot be upgraded: ` +
    'name an empty database or data directory, and import items and events again. The old one was left as it is.';
  return new DomainError('UNAVAILABLE', message, { metadata: { why }, cause });
}

/** Whether a version with these migrations comes before or after this one; else no migration leads from one to the other. */
export function isOfOurLine(names: readonly string[]): boolean {
  const ours = Object.keys(migrations);
  return names.every((name, place) => name === (ours[place] ?? name));
}

/** Of the names of migrations, those that this program has not. */
export function listUnknown(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(migrations, name));
}

/**
 * The tables as these migrations make them, for rows that were written then; distributed on a cluster. The caller holds the lock of
 * migrations, and calls `migrate` when the rows are there.
 */
export async function makeTablesOf(client: pg.PoolClient, names: readonly string[]): Promise<void> {
  const { error } = await (await migratorOn(client)).migrateTo(names.at(-1)!);
  if (error !== undefined) throw error;
  if (await isCluster(client)) await distributeTables(client);
}

/** In their order; none in an empty database. Kysely would look at all tables for it, at each start of a node. */
export function listApplied(db: Database): Promise<string[]> {
  return readApplied((text, values, shape) => query(db, { name: '', text, values }, shape));
}

/** The same as a transaction sees it. */
export function listAppliedOn(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  return readApplied((text, values, shape) => queryOn(client, { text, values }, shape));
}

type Ask = <Row>(text: string, values: unknown[], shape: Shape<Row>) => Promise<Row[]>;

async function readApplied(ask: Ask): Promise<string[]> {
  const tableText = 'select to_regclass($1)::text as table';
  const [{ table }] = await ask<{ table: string | null }>(tableText, [migrationTable], { table: 'text?' });
  if (table === null) return [];
  const text = `select name::text from ${migrationTable} order by name`;
  const rows = await ask<{ name: string }>(text, [], { name: 'text' });
  return rows.map(({ name }) => name);
}

async function isUpToDate(db: Database): Promise<boolean> {
  if ((await pendingMigrations(db)).length > 0) return false;
  return (await findSetting(db, checksumSetting)) === functionsChecksum;
}

/** The names of migrations this program has and the database has not. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const applied = await listApplied(db);
  return Object.keys(migrations).filter((name) => !applied.includes(name));
}
