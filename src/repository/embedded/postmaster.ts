/**
 * Finds the server of a cluster: its `postmaster.pid` file, checked against the running process.
 *
 * The file outlives a killed server, and its process ID may since belong to any program. On Linux a
 * process counts as the server only if it works in the cluster's folder.
 */
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

type Postmaster = { pid: number; port: number; socketDir: string; isReady: boolean };

const pidFileName = 'postmaster.pid';

/** Reads the lines of the file in the order of PostgreSQL's miscadmin.h. */
export function readPostmaster(clusterDir: string): Postmaster | undefined {
  try {
    const text = readFileSync(join(clusterDir, pidFileName), 'utf8');
    const [pid, , , port, socketDir, , , status] = text.split('\n');
    const isReady = status?.trim() === 'ready';
    return { pid: Number(pid), port: Number(port), socketDir: socketDir ?? '', isReady };
  } catch (error) {
    /** A server that ends removes its file at any moment. */
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the running server of the cluster. */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const postmaster = readPostmaster(clusterDir);
  return postmaster !== undefined && isServing(postmaster.pid, clusterDir) ? postmaster : undefined;
}

/**
 * Removes the file when its process ID belongs to another program, or when a loss of power left it
 * empty: either would block every start. The file of a dead process stays, as Postgres reads it to
 * look for surviving children.
 */
export function removeMisleadingPostmaster(clusterDir: string): void {
  const postmaster = readPostmaster(clusterDir);
  if (postmaster === undefined || isServing(postmaster.pid, clusterDir)) return;
  const isEmpty = postmaster.pid === 0;
  if (isEmpty || isAlive(postmaster.pid)) rmSync(join(clusterDir, pidFileName), { force: true });
}

function isServing(pid: number, clusterDir: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(clusterDir);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
