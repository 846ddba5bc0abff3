/**
 * Starts, adopts and stops the server of one cluster.
 *
 * The server runs in a session of its own, so a Ctrl-C for the service does not end it before the
 * service has drained. It survives a killed service; the next start finds it by its files and
 * adopts it.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import { chmodSync, chownSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';
import { fullDiskHint } from './data-dir.ts';
import { findPostmaster, removeMisleadingPostmaster } from './postmaster.ts';
import { type Account, programEnvironment } from './programs.ts';
import { logSize, quoteLog, rotateLog, serverArguments } from './server-files.ts';
import { hasSocket } from './socket-folder.ts';

/** Longest time in which starts are repeated, and longest wait for a server that recovers after a crash. */
const retryTimeoutMs = 30_000;
const recoveryTimeoutMs = 300_000;

/** A fast shutdown writes a checkpoint; after this time the server is ended at once, and the next start recovers. */
const stopTimeoutMs = 30_000;

const pollIntervalMs = 20;
const retryIntervalMs = 200;

/** Role that owns everything in the database. */
export const serverUser = 'postgres';

export type ServerConnection = { host: string; port: number; user: string; database: string };

export type ServerOptions = {
  clusterDir: string;
  logPath: string;
  postgres: string;
  account: Account;
  /** Private folder for the socket of a new server; created again when it has vanished. */
  socketDir: string;
};

/** Returns the connection to the cluster's server, the running one or a new one. */
export async function startServer(options: ServerOptions): Promise<ServerConnection> {
  const { clusterDir, logPath } = options;
  await stopUnreachable(clusterDir);
  /** A running server would keep writing into the renamed file. */
  if (findPostmaster(clusterDir) === undefined) rotateLog(logPath);
  const deadline = Date.now() + retryTimeoutMs;
  while (Date.now() < deadline) {
    const logStart = logSize(logPath);
    const isAdopted = findPostmaster(clusterDir) !== undefined;
    const hasExited = isAdopted ? () => findPostmaster(clusterDir) === undefined : spawnServer(options);
    const connection = await awaitServer(clusterDir, hasExited);
    if (connection !== undefined) return connection;
    const complaint = isAdopted ? '' : quoteLog(logPath, logStart);
    if (!isAdopted && hasExited() && !mayPass(complaint)) throw startFailure(complaint, logPath);
    await sleep(retryIntervalMs);
  }
  throw startFailure('it did not answer in time', logPath);
}

/** Stops the cluster's server with its sessions and waits until it is gone. */
export async function stopServer(clusterDir: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const postmaster = findPostmaster(clusterDir);
    if (postmaster === undefined) return;
    process.kill(postmaster.pid, signal);
    const deadline = Date.now() + stopTimeoutMs;
    while (findPostmaster(clusterDir) !== undefined && Date.now() < deadline) await sleep(pollIntervalMs);
  }
}

/** Stops a server that has lost its socket: it accepts no connection any more. */
async function stopUnreachable(clusterDir: string): Promise<void> {
  const socketDir = findPostmaster(clusterDir)?.socketDir;
  if (socketDir && !hasSocket(socketDir)) await stopServer(clusterDir);
}

function spawnServer({ clusterDir, logPath, postgres, account, socketDir }: ServerOptions): () => boolean {
  removeMisleadingPostmaster(clusterDir);
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  if (account.owner !== undefined) chownSync(socketDir, account.owner.uid, account.owner.gid);
  /** The folder may have existed with another mode. */
  chmodSync(socketDir, 0o700);
  const log = openSync(logPath, 'a', 0o600);
  const { file, args, identity } = account.command(postgres, serverArguments(clusterDir, socketDir));
  const stdio: StdioOptions = ['ignore', log, log];
  const child = spawn(file, args, { ...identity, cwd: '/', env: programEnvironment, detached: true, stdio });
  let hasFailed = false;
  child.once('error', () => {
    hasFailed = true;
  });
  child.unref();
  closeSync(log);
  return () => hasFailed || child.exitCode !== null || child.signalCode !== null;
}

/** Returns undefined when the server has ended or does not become ready. */
async function awaitServer(
  clusterDir: string,
  hasExited: () => boolean,
): Promise<ServerConnection | undefined> {
  const deadline = Date.now() + recoveryTimeoutMs;
  while (!hasExited() && Date.now() < deadline) {
    const postmaster = findPostmaster(clusterDir);
    if (postmaster?.isReady)
      return { host: postmaster.socketDir, port: postmaster.port, user: serverUser, database: 'postgres' };
    await sleep(pollIntervalMs);
  }
  return undefined;
}

/** Children of a killed server take a moment to end; another start may have come first. */
function mayPass(complaint: string): boolean {
  return /pre-existing shared memory|lock file .* already exists|shutting down/.test(complaint);
}

function startFailure(complaint: string, logPath: string): DomainError {
  const message = `The embedded database did not start: ${complaint || 'the server gave no reason'} (see ${logPath}).${fullDiskHint(dirname(logPath))}`;
  return new DomainError('UNAVAILABLE', message, { metadata: { logPath } });
}
