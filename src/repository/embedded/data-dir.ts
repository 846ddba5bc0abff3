/**
 * Claims a data directory for one service at a time, and checks its disk.
 *
 * SQLite's exclusive transaction is an fcntl lock on `service.lock`, which the operating system
 * frees however the process ends. A file with a process ID could not tell a reused ID from a living
 * owner.
 */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DomainError } from '../../errors.ts';

/** https://www.sqlite.org/rescode.html */
const sqliteBusy = 5;
const sqliteCannotOpen = 14;

/** @returns A function that frees the directory. @throws When another process has it. */
export function claimDataDir(dataDir: string): () => void {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(join(dataDir, 'service.lock'));
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    file?.close();
    const { errcode, message: complaint } = cause as Error & { errcode?: number };
    const why = errcode === sqliteCannotOpen ? 'service.lock cannot be opened by this user' : complaint;
    const message =
      errcode === sqliteBusy
        ? `The data directory ${dataDir} is in use by another running service; stop that one or choose another directory.`
        : `The data directory ${dataDir} cannot be locked: ${why}.`;
    throw new DomainError('UNAVAILABLE', message, { metadata: { dataDir }, cause });
  }
  return () => file.close();
}

const megabyte = 1024 * 1024;

/** Size of an empty database with its first write-ahead log. */
const newDatabaseMegabytes = 100;

/** With less the server can write neither a lock file nor the next part of its log. */
const leastMegabytes = 16;

/** @throws When a new database would not fit. */
export function assertFreeSpace(folder: string): void {
  const free = freeMegabytes(folder);
  if (free >= newDatabaseMegabytes) return;
  const message = `The disk of ${folder} is full: a database needs ${newDatabaseMegabytes} MB, and ${free} MB are left.`;
  throw new DomainError('UNAVAILABLE', message, { metadata: { folder, free: String(free) } });
}

/** Returns a sentence for errors, since databases rarely report a full disk; empty otherwise. */
export function fullDiskHint(folder: string): string {
  const free = freeMegabytes(folder);
  return free >= leastMegabytes ? '' : ` The disk of ${folder} is full: ${free} MB are left.`;
}

function freeMegabytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / megabyte);
}
