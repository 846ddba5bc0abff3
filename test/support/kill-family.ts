/** Signals to a process and its children. */

import { readFileSync } from 'node:fs';

/** Kills them without a signal handler, like a power failure. */
export function killFamily(pid: number): void {
  signalFamily(pid, 'SIGKILL');
}

/** Stops the parent first, so that it starts no further children. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  const known = childrenOf(pid);
  signalOne(pid, signal);
  for (const child of new Set([...known, ...childrenOf(pid)])) signalOne(child, signal);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Not all systems list them; the sessions of a killed PostgreSQL end by themselves. */
export function childrenOf(pid: number): number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return listed.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
