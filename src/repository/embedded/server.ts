/**
 * Starts, adopts and stops the database server of one cluster.
 *
 * The server runs in a session of its own, so a Ctrl-C meant for the service cannot end it before the service has drained.
 * It therefore survives a killed service; the next start finds it by its files and adopts it.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import { chmodSync, chownSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DomainError } from '../../errors.ts';
import type { Account } from './account.ts';
import { programEnvironment } from './cluster.ts';
import { fullDiskHint } from './disk-room.ts';
import { findPostmaster, removeMisleadingPostmaster } from './postmaster.ts';
import { logSize, quoteLog, rotateLog } from './server-log.ts';
import { serverArguments } from './server-settings.ts';
import { hasSocket } from './socket-folder.ts';

/** A server that gives no sign of life for so long is given up. */
const silenceTimeoutMs = 30_000;

/** Replaying the log after a crash may take longer; the server says so meanwhile. */
const recoveryTimeoutMs = 300_000;

/** A fast shutdown writes a checkpoint; past this it is cut short, and the next start recovers. */
const stopTimeoutMs = 30_000;

const pollIntervalMs = 20;
const retryIntervalMs = 200;

/** Who owns everything in it. */
export const serverUser = 'postgres';

export type ServerConnection = { host: string; port: number; user: string; database: string };

export type ServerOptions = {
  clusterDir: string;
  logPath: string;
  postgres: string;
  account: Account;
  /** The private folder for the socket of a server that has to be started; made again when it has vanished. */
  socketDir: string;
};

/** Returns the connection to the cluster's server, the running one or a new one. */
export async function startServer(options: ServerOptions): Promise<ServerConnection> {
  const { clusterDir, logPath } = options;
  await stopUnreachable(clusterDir);
  /** A server that goes on would write on into the file that was moved, and nobody would bound it. */
  if (findPostmaster(clusterDir) === undefined) rotateLog(logPath);
  const deadline = Date.now() + silenceTimeoutMs;
  while (Date.now() < deadline) {
    const logStart = logSize(logPath);
    const isAdopted = findPostmaster(clusterDir) !== undefined;
    const hasExited = isAdopted ? () => findPostmaster(clusterDir) === undefined : spawnServer(options);
    const connection = await awaitServer(clusterDir, hasExited, deadline);
    if (connection !== undefined) return connection;
    const complaint = isAdopted ? '' : quoteLog(logPath, logStart);
    if (!isAdopted && hasExited() && !mayPass(complaint)) throw startFailure(complaint, logPath);
    await sleep(retryIntervalMs);
  }
  throw startFailure('it did not answer in time', logPath);
}

/** Ends the cluster's server with its sessions, and waits until it is gone. */
export async function stopServer(clusterDir: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const postmaster = findPostmaster(clusterDir);
    if (postmaster === undefined) return;
    process.kill(postmaster.pid, signal);
    const deadline = Date.now() + stopTimeoutMs;
    while (findPostmaster(clusterDir) !== undefined && Date.now() < deadline) await sleep(pollIntervalMs);
  }
}

/** A server whose socket was swept away can be spoken to no more, only be ended. */
async function stopUnreachable(clusterDir: string): Promise<void> {
  const socketDir = findPostmaster(clusterDir)?.socketDir;
  if (socketDir && !hasSocket(socketDir)) await stopServer(clusterDir);
}

/** Returns whether the started process has ended since. */
function spawnServer({ clusterDir, logPath, postgres, account, socketDir }: ServerOptions): () => boolean {
  removeMisleadingPostmaster(clusterDir);
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  if (account.owner !== undefined) chownSync(socketDir, account.owner.uid, account.owner.gid);
  /** Whoever made it, nobody else may enter. */
  chmodSync(socketDir, 0o700);
  const log = openSync(logPath, 'a', 0o600);
  const { file, args, identity } = account.command(postgres, serverArguments(clusterDir, socketDir));
  const stdio: StdioOptions = ['ignore', log, log];
  const child = spawn(file, args, { ...identity, cwd: '/', env: programEnvironment, detached: true, stdio });
  let hasExited = false;
  child.once('error', () => {
    hasExited = true;
  });
  child.once('exit', () => {
    hasExited = true;
  });
  child.unref();
  closeSync(log);
  return () => hasExited;
}

/** Undefined when the server has gone or stays silent. */
async function awaitServer(
  clusterDir: string,
  hasExited: () => boolean,
  silenceDeadline: number,
): Promise<ServerConnection | undefined> {
  const recoveryDeadline = Date.now() + recoveryTimeoutMs;
  let isRecovering = false;
  while (!hasExited() && Date.now() < (isRecovering ? recoveryDeadline : silenceDeadline)) {
    const postmaster = findPostmaster(clusterDir);
    if (postmaster?.socketDir) {
      const connection = {
        host: postmaster.socketDir,
        port: postmaster.port,
        user: serverUser,
        database: 'postgres',
      };
      const answer = await ask(connection);
      if (answer === 'ready') return connection;
      isRecovering = answer === 'starting';
    }
    await sleep(pollIntervalMs);
  }
  return undefined;
}

async function ask(connection: ServerConnection): Promise<'ready' | 'starting' | 'silent'> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    const cannotConnectNow = '57P03';
    return (error as { code?: string }).code === cannotConnectNow ? 'starting' : 'silent';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Children of a killed server need a moment to notice and leave; another start may just have won. */
function mayPass(complaint: string): boolean {
  return /pre-existing shared memory|lock file .* already exists|shutting down/.test(complaint);
}

function startFailure(complaint: string, logPath: string): DomainError {
  const message = `The embedded database did not start: ${complaint || 'it said nothing'} (see ${logPath}).${fullDiskHint(dirname(logPath))}`;
  return new DomainError('UNAVAILABLE', message, { metadata: { logPath } });
}
