/**
 * The embedded database: started or adopted, watched and stopped with the service.
 *
 * `{dataDir}/postgres` holds the cluster, `{dataDir}/postgres.log` the server's log,
 * `{dataDir}/socket` its socket while it runs, `{dataDir}/service.lock` the lock of the one service
 * that uses them.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import { createCluster, hasCluster } from './cluster.ts';
import { assertFreeSpace, claimDataDir } from './data-dir.ts';
import { findPostmaster, readPostmaster } from './postmaster.ts';
import { chooseAccount, findBinaries } from './programs.ts';
import { type ServerConnection, type ServerOptions, serverUser, startServer, stopServer } from './server.ts';
import { boundLog } from './server-files.ts';
import { hasSocket, makeSocketFolder, removeSocketFolder } from './socket-folder.ts';

const databaseName = 'personalisation';

const watchIntervalMs = 1_000;
const connectionTimeoutMs = 30_000;

export type EmbeddedPostgresOptions = {
  /** Created when absent. */
  dataDir: string;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
};

export type EmbeddedPostgres = {
  /** For `pg.Pool`; valid until `stop`, even if the server is restarted meanwhile. */
  connection: ServerConnection;
  firstStart: boolean;
  /** Stops the server, adopted or started, and frees the data directory. */
  stop(): Promise<void>;
};

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const release = claimDataDir(dataDir);
  try {
    return await startClaimed(dataDir, options.logger, release);
  } catch (error) {
    release();
    throw error;
  }
}

export function hasDatabase(dataDir: string): boolean {
  return hasCluster(join(dataDir, 'postgres'));
}

/** Returns the connection to a server that a service has started; undefined when none runs. */
export function findRunning(dataDir: string): ServerConnection | undefined {
  const postmaster = findPostmaster(join(dataDir, 'postgres'));
  if (!postmaster?.socketDir) return undefined;
  return { host: postmaster.socketDir, port: postmaster.port, user: serverUser, database: databaseName };
}

async function startClaimed(
  dataDir: string,
  logger: EmbeddedPostgresOptions['logger'],
  release: () => void,
): Promise<EmbeddedPostgres> {
  const server = await prepareServer(dataDir);
  const isAdopted = findPostmaster(server.clusterDir) !== undefined;
  const formerSocketDir = readPostmaster(server.clusterDir)?.socketDir;
  const connection = await startServer(server).catch((error) => {
    removeSocketFolder(dataDir, server.socketDir);
    throw error;
  });
  if (connection.host !== formerSocketDir) removeSocketFolder(dataDir, formerSocketDir);
  logger.info({ dataDir, isAdopted }, 'The embedded database is running.');
  const firstStart = await createDatabaseIfAbsent(connection);
  const watch = watchServer(server, logger);
  const stop = async () => {
    await watch.stop();
    await stopServer(server.clusterDir);
    removeSocketFolder(dataDir, connection.host);
    release();
  };
  return { connection: { ...connection, database: databaseName }, firstStart, stop };
}

/** Creates what must exist before a server can start. */
async function prepareServer(dataDir: string): Promise<ServerOptions> {
  const { initdb, postgres } = await findBinaries();
  const clusterDir = join(dataDir, 'postgres');
  const running = findPostmaster(clusterDir)?.socketDir;
  const socketDir = running && hasSocket(running) ? running : await makeSocketFolder(dataDir);
  const account = chooseAccount({ clusterDir, folders: [dataDir, dirname(socketDir)], postgres });
  if (!hasCluster(clusterDir)) {
    assertFreeSpace(dataDir);
    await createCluster({ clusterDir, initdb, account });
  }
  return { clusterDir, logPath: join(dataDir, 'postgres.log'), postgres, account, socketDir };
}

async function createDatabaseIfAbsent(connection: ServerConnection): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: connectionTimeoutMs });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
    if (rowCount === 0) await client.query(`create database ${databaseName}`);
    return rowCount === 0;
  } finally {
    await client.end();
  }
}

/** Restarts a server that died or lost its socket, and bounds its log. */
function watchServer(server: ServerOptions, logger: EmbeddedPostgresOptions['logger']): Periodic {
  const watch = createPeriodic({
    async work() {
      boundLog(server.logPath);
      const socketDir = findPostmaster(server.clusterDir)?.socketDir;
      if (socketDir !== undefined && (socketDir === '' || hasSocket(socketDir))) return;
      const what = socketDir === undefined ? 'has died' : 'has lost its socket';
      logger.error(`The embedded database ${what}; restarting it.`);
      await startServer(server);
    },
    pauseMs: watchIntervalMs,
    complaint: 'The embedded database could not be restarted.',
    logger,
  });
  watch.start();
  return watch;
}
