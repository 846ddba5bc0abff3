/** Where tests keep whole databases. */

import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** More than what all tests together write: a dozen databases at a time and their log. */
const mostBytes = 4 * 2 ** 30;

/** In memory where there is room: a fresh database is five hundred files, which cost a disk more than most tests do. */
export function roomyFolder(): string {
  const inMemory = '/dev/shm';
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize >= mostBytes ? inMemory : tmpdir();
}
