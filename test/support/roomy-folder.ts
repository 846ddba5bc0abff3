/** The folder for databases of tests. */

import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** More than all tests together need: a dozen databases at a time and their log. */
const mostBytes = 4 * 2 ** 30;

/** In memory if possible: the files of a new database take longer on a disk than most tests. */
export function roomyFolder(): string {
  const inMemory = '/dev/shm';
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize >= mostBytes ? inMemory : tmpdir();
}
