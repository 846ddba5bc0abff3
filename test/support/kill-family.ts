/** Ends a process and its children without a word, as a power failure would. */

import { readFileSync } from 'node:fs';

export function killFamily(pid: number): void {
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
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
