/** Signals to a process and its children. */

import { readFileSync } from 'node:fs';

/** Ends them without a word, as a power failure would. */
export function killFamily(pid: number): void {
  signalFamily(pid, 'SIGKILL');
}

/** The parent comes first: once it has stopped, it has no further children; once it was killed, nobody knows its children. */
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

/** Linux alone lists them, and not every kernel does; the sessions of a killed PostgreSQL end by themselves, a little later. */
export function childrenOf(pid: number): number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return listed.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
