/** Whether the disk has room: a database that finds none says so in many ways, few of them plain. */

import { statfsSync } from 'node:fs';
import { DomainError } from '../../errors.ts';

const megabyte = 1024 * 1024;

/** Of an empty database with its first write-ahead log. */
const firstMegabytes = 100;

/** With less the server cannot even write a lock file or the next part of its log. */
const leastMegabytes = 16;

/** @throws When a new database would not fit. */
export function assertRoom(folder: string): void {
  const free = freeMegabytes(folder);
  if (free >= firstMegabytes) return;
  const message = `The disk of ${folder} is full: a database needs ${firstMegabytes} MB, and ${free} MB are left.`;
  throw new DomainError('UNAVAILABLE', message, { metadata: { folder, free: String(free) } });
}

/** A sentence for the end of another one about what failed; empty when it was not for want of room. */
export function fullDiskHint(folder: string): string {
  const free = freeMegabytes(folder);
  return free >= leastMegabytes ? '' : ` The disk of ${folder} is full: ${free} MB are left.`;
}

function freeMegabytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / megabyte);
}
