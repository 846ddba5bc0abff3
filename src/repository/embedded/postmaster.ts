/**
 * Reads who serves a cluster: the `postmaster.pid` file, checked against the living process.
 *
 * The file outlives a killed server, and its process id may meanwhile belong to anything; so a process counts as the
 * cluster's server only when it works in the cluster's folder (where /proc can tell).
 */
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export type Postmaster = { pid: number; port: number; socketDir: string };

const pidFileName = 'postmaster.pid';

/** The lines of the file: pid, data directory, start time, port, socket directory, … (PostgreSQL's miscadmin.h). */
export function readPostmaster(clusterDir: string): Postmaster | undefined {
  const text = readIfThere(join(clusterDir, pidFileName));
  if (text === undefined) return undefined;
  const [pid, , , port, socketDir] = text.split('\n');
  return { pid: Number(pid), port: Number(port), socketDir: socketDir ?? '' };
}

/** A server that ends removes its file at any moment, so asking first whether it is there would not do. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The living server of this cluster. */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const postmaster = readPostmaster(clusterDir);
  return postmaster !== undefined && isServing(postmaster.pid, clusterDir) ? postmaster : undefined;
}

/**
 * Removes the file when its process id now belongs to another program, or when it is empty, as a loss of power may leave it:
 * either would block a start for ever. The file of a dead process stays: Postgres itself reads it to look for surviving
 * children, which it also finds by their shared memory.
 */
export function removeMisleadingPostmaster(clusterDir: string): void {
  const postmaster = readPostmaster(clusterDir);
  if (postmaster === undefined || isServing(postmaster.pid, clusterDir)) return;
  const isEmpty = postmaster.pid === 0;
  if (!isEmpty && !isAlive(postmaster.pid)) return;
  rmSync(join(clusterDir, pidFileName), { force: true });
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
