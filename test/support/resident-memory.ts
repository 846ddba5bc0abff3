/** The memory of another process. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Linux says it in a file; elsewhere there is `ps`, which a small container lacks. */
export function residentKilobytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (existsSync(file)) return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))![1]);
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}
