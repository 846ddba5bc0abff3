/**
 * A separate database for each test, cloned from a migrated template.
 *
 * `test/run.ts` starts one server for all test files and passes it in TEST_POSTGRES; a file that
 * runs alone starts its own.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Connection, createDatabase, type Database } from '../../src/repository/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/repository/embedded/embedded-postgres.ts';
import { migrate } from '../../src/repository/migrations.ts';
import { createCluster } from './citus.ts';
import { roomyFolder } from './roomy-folder.ts';

/** The name of the template in the server's cluster. */
const templateName = 'template_migrated';

/** For tests that do not check logs. */
export const silentLogger = { info: () => undefined, warn: () => undefined, error: () => undefined };

export type TestDatabase = Database & { connection: Connection };

/** The clean-up part of AVA's execution context. */
type Context = { teardown(tidy: () => Promise<void>): void };

/** Creates a database with all tables; dropped after the test if the test is given. */
export async function createTestDatabase(t?: Context): Promise<TestDatabase> {
  if (process.env.TEST_CITUS !== undefined) return createClusterDatabase(process.env.TEST_CITUS, t);
  const server = await findServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  /** The default strategy, page by page through the log, takes four times as long. */
  await administer(server, `create database ${name} template ${templateName} strategy file_copy`);
  const connection = { ...server, database: name };
  /** Other tests of the process may compute for seconds. */
  const database = createDatabase(connection, { poolSize: 10, connectionTimeoutMs: 60_000 });
  const close = async () => {
    await database.close();
    await administer(server, `drop database if exists ${name} with (force)`);
  };
  t?.teardown(close);
  return { ...database, connection, close: t === undefined ? close : database.close };
}

/** The same on a cluster, filled without a template, because templates do not include workers. */
async function createClusterDatabase(coordinatorUrl: string, t?: Context): Promise<TestDatabase> {
  const cluster = await createCluster(coordinatorUrl);
  const database = createDatabase(cluster.connection, { poolSize: 10 });
  await migrate(database, { bucketCount: 8 });
  const close = async () => {
    await database.close();
    await cluster.drop();
  };
  t?.teardown(close);
  return { ...database, connection: cluster.connection, close: t === undefined ? close : database.close };
}

/**
 * Without fsync, since no test cuts the power and short tests mostly wait for the disk, and without
 * autovacuum, since the databases are short-lived.
 */
async function forgoDurability(server: Connection): Promise<void> {
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await administer(server, `alter system set ${setting} = off`);
  await administer(server, 'select pg_reload_conf()');
}

/** Starts a server in a temporary folder, with the template; `stop` deletes both. */
export async function startTestServer(): Promise<{ connection: Connection; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(roomyFolder(), 'test-database-'));
  const server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  await forgoDurability(server.connection);
  await administer(server.connection, `create database ${templateName}`);
  const template = createDatabase({ ...server.connection, database: templateName }, { poolSize: 2 });
  await migrate(template);
  await template.close();
  const stop = async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { connection: server.connection, stop };
}

let ownServer: Promise<Connection> | undefined;

function findServer(): Promise<Connection> {
  const shared = process.env.TEST_POSTGRES;
  if (shared !== undefined) return Promise.resolve(JSON.parse(shared));
  ownServer ??= startOwnServer();
  return ownServer;
}

/** Stopped when the test process becomes idle. */
async function startOwnServer(): Promise<Connection> {
  const { connection, stop } = await startTestServer();
  process.once('beforeExit', stop);
  return connection;
}

/** By server. Each keeps one connection, because each test creates and drops a database. */
const administrators = new Map<string, pg.Pool>();

async function administer(server: Connection, statement: string): Promise<void> {
  const key = JSON.stringify(server);
  let administrator = administrators.get(key);
  if (!administrator) {
    administrator = new pg.Pool({ ...server, database: 'postgres', max: 1, allowExitOnIdle: true });
    /** A stopping server closes the connection; the next statement opens another. */
    administrator.on('error', () => {});
    administrators.set(key, administrator);
  }
  await administrator.query(statement);
}
