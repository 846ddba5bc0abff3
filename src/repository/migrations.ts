/** Brings the schema up to date, once, however many nodes start together. */
import { type Migration, Migrator } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import { DomainError } from '../errors.ts';
import { bucketCountSetting, defaultBucketCount } from './buckets.ts';
import { connect, type Database, kyselyOn, query, queryOn, translateError } from './database.ts';
import { distributeFunctions, distributeTables, isCluster } from './distribution.ts';
import { checksumFunctions, createFunctionsText } from './functions.ts';
import { locks } from './locks.ts';
import * as listed from './migration-list.ts';
import { keySetting, makeKey } from './people/marks.ts';
import { needsNewer, releaseOf, releaseSetting } from './releases.ts';
import { assertRestored, restoringSetting } from './restoring.ts';
import { checkWritableServer } from './server-check.ts';
import { findSetting } from './settings.ts';

/** By name, in order. */
const migrations: Record<string, Migration> = listed;

/** Kysely's record of applied migrations. */
const migrationTable = 'kysely_migration';

/** In `settings`: the checksum of the database's functions. Without it a database is not up to date. */
export const checksumSetting = 'functions';

/** A migration waits for a table's lock, and then lets statements that queued behind it pass. */
const mostWaitMs = 500;
const giveWaySeconds = 2;

export type MigrateOptions = {
  /** For a new database; an existing one keeps its own [4]. */
  bucketCount?: number;
  /** Logs each migration with its duration. */
  logger?: Pick<Logger, 'info'>;
};

/**
 * Applies missing migrations and functions, and returns the names of the migrations. Nodes that
 * start together wait for the first; a node that finds an up-to-date database does not wait.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<string[]> {
  await checkWritableServer(db);
  await assertUpgradable(db);
  if (await isUpToDate(db)) return [];
  const client = await connect(db);
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0');
    /** Frees the lock of a node that stops while it migrates. */
    await client.query(`set idle_session_timeout = '30s'; set idle_in_transaction_session_timeout = '30s'`);
    await client.query('select pg_advisory_lock($1)', [locks.migration]);
    await assertRestored(client, await findSchema(client));
    const applied = await makeSchema(client, options);
    await markUpToDate(client);
    return applied;
  } catch (error) {
    throw otherTables(error) ?? translateError(error);
  } finally {
    client.release(true);
  }
}

/** Creates the tables and functions, and returns the applied migrations. The caller holds the lock of migrations. */
export async function makeSchema(
  client: pg.PoolClient,
  { bucketCount, logger }: MigrateOptions = {},
): Promise<string[]> {
  const applied = await applyMissing(client, logger);
  const defaults = { [bucketCountSetting]: bucketCount ?? defaultBucketCount, [keySetting]: makeKey() };
  const text = 'insert into settings (key, value) values ($1, $2) on conflict do nothing';
  for (const [key, value] of Object.entries(defaults)) await client.query(text, [key, JSON.stringify(value)]);
  await upsertOn(client, releaseSetting, releaseOf(Object.keys(migrations).at(-1)!));
  await makeFunctions(client);
  return applied;
}

/**
 * Applies all in one transaction. A statement that waits to change a table blocks all later ones on
 * it; so while a long reader such as a backup holds the table, the migration gives way again and
 * again, and nodes keep working.
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
        logger?.info(
          { migration, release: releaseOf(migration), duration_ms: durationsMs.get(migration) },
          'A migration ran.',
        );
      return applied;
    }
    if (!isLockTimeout(error)) throw error;
    await client.query('select pg_sleep($1)', [giveWaySeconds]);
  }
}

const isLockTimeout = (error: unknown) =>
  error instanceof Error && (error.cause as pg.DatabaseError | undefined)?.code === '55P03';

/** With an explicit schema Kysely ignores the migration table of another program in another schema. */
async function migratorOn(client: pg.PoolClient, durationsMs = new Map<string, number>()): Promise<Migrator> {
  const schema = await findSchema(client);
  const provider = { getMigrations: async () => timed(durationsMs) };
  return new Migrator({ db: kyselyOn(client), provider, migrationTableSchema: schema ?? undefined });
}

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

/** Returns the schema of the tables; schemas later in the search path may have tables of the same names. */
export async function findSchema(client: Pick<pg.ClientBase, 'query'>): Promise<string | null> {
  const text = `select coalesce(
    (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where pg_class.oid = to_regclass($1)),
    current_schema()
  )::text as schema`;
  const [{ schema }] = await queryOn<{ schema: string | null }>(client, text, [migrationTable]);
  return schema;
}

/** Functions keep the search path they are created with, and so find the tables whatever the caller's is. */
async function makeFunctions(client: pg.PoolClient): Promise<void> {
  await client.query(`select set_config('search_path', quote_ident($1), false)`, [await findSchema(client)]);
  const isSharded = await isCluster(client);
  if (isSharded) await distributeTables(client);
  await client.query(createFunctionsText(isSharded));
  if (isSharded) await distributeFunctions(client);
}

/** Allows nodes to use the database. */
export async function markUpToDate(client: pg.PoolClient): Promise<void> {
  await client.query('delete from settings where key = $1', [restoringSetting]);
  await upsertOn(client, checksumSetting, checksumFunctions());
}

async function upsertOn(client: pg.PoolClient, key: string, value: unknown): Promise<void> {
  await client.query(
    `insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value
     where settings.value::text <> excluded.value::text`,
    [key, JSON.stringify(value)],
  );
}

/**
 * Refuses databases of other versions. A newer version has all migrations of this one and more
 * after them. Any other database is of a development version; its tables cannot be migrated.
 */
async function assertUpgradable(db: Database): Promise<void> {
  const applied = await listApplied(db);
  const unknown = listUnknown(applied);
  if (isOfOurLine(applied)) {
    if (unknown.length === 0) return;
    const release = (await findSetting(db, releaseSetting)) as string | undefined;
    const metadata = { migrations: unknown.join(', ') };
    throw new DomainError('UNAVAILABLE', needsNewer('database', release, unknown), { metadata });
  }
  const missing = Object.keys(migrations).find((name, place) => applied[place] !== name);
  const why = unknown.length > 0 ? `it has ${unknown.join(', ')}` : `it lacks ${missing}`;
  throw ofDevelopment(why);
}

/** SQLSTATEs: a table or column that a migration creates exists, or one that it needs does not. */
const tableFaults = new Set(['42P01', '42P07', '42701', '42703', '42710']);

/** Returns the error for tables that the migrations did not create; undefined for any other error. */
function otherTables(error: unknown): DomainError | undefined {
  const { code, message } = databaseErrorOf(error) ?? {};
  if (code === undefined || !tableFaults.has(code)) return undefined;
  return ofDevelopment(message!, error);
}

/** Returns the driver's error, which may be the cause of its translation. */
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

/** Returns whether the migrations are of an earlier or later version of this line; others cannot be upgraded. */
export function isOfOurLine(names: readonly string[]): boolean {
  const ours = Object.keys(migrations);
  return names.every((name, place) => name === (ours[place] ?? name));
}

/** Returns the migrations that this program lacks. */
export function listUnknown(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(migrations, name));
}

/**
 * Creates the tables as of the given migrations, for the rows of a backup. The caller holds the
 * lock of migrations, and calls `migrate` after loading the rows.
 */
export async function makeTablesOf(client: pg.PoolClient, names: readonly string[]): Promise<void> {
  const { error } = await (await migratorOn(client)).migrateTo(names.at(-1)!);
  if (error !== undefined) throw error;
  if (await isCluster(client)) await distributeTables(client);
}

/** Lists applied migrations; none in an empty database. Kysely's own query reads the catalogue of all tables. */
export function listApplied(db: Database): Promise<string[]> {
  return readApplied((text, values) => query(db, '', text, values));
}

/** Lists applied migrations as of a transaction. */
export function listAppliedOn(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  return readApplied((text, values) => queryOn(client, text, values));
}

type Ask = <Row>(text: string, values: unknown[]) => Promise<Row[]>;

async function readApplied(ask: Ask): Promise<string[]> {
  const tableText = 'select to_regclass($1)::text as table';
  const [{ table }] = await ask<{ table: string | null }>(tableText, [migrationTable]);
  if (table === null) return [];
  const text = `select name::text from ${migrationTable} order by name`;
  const rows = await ask<{ name: string }>(text, []);
  return rows.map(({ name }) => name);
}

async function isUpToDate(db: Database): Promise<boolean> {
  if ((await pendingMigrations(db)).length > 0) return false;
  return (await findSetting(db, checksumSetting)) === checksumFunctions();
}

/** Lists the migrations that the database lacks. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const applied = await listApplied(db);
  return Object.keys(migrations).filter((name) => !applied.includes(name));
}
