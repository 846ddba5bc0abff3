/** The memory of another process. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Linux has a file for it; other systems have `ps`, which small containers lack. */
export function residentKilobytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (existsSync(file)) return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))![1]);
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}
