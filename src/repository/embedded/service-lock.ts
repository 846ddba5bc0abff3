/**
 * One service at a time owns a data directory.
 *
 * The operating system holds the lock: SQLite's exclusive transaction is an fcntl lock on `service.lock`, which vanishes with
 * the process however it ends. A file with a process id could not tell a reused id from a living owner.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DomainError } from '../../errors.ts';

export type ServiceLock = { release(): void };

/** Claims `dataDir` for this process, or fails at once when another living process has it. */
export function claimServiceLock(dataDir: string): ServiceLock {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(join(dataDir, 'service.lock'));
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file?.close();
    throw refusal(dataDir, error);
  }
  return { release: () => file.close() };
}

/** https://www.sqlite.org/rescode.html */
const sqliteBusy = 5;
const sqliteCannotOpen = 14;

function refusal(dataDir: string, error: unknown): DomainError {
  const { errcode, message: complaint } = error as Error & { errcode?: number };
  const why = errcode === sqliteCannotOpen ? 'service.lock cannot be opened by this user' : complaint;
  const message =
    errcode === sqliteBusy
      ? `The data directory ${dataDir} is in use by another running service; stop that one or choose another directory.`
      : `The data directory ${dataDir} cannot be locked: ${why}.`;
  return new DomainError('UNAVAILABLE', message, { metadata: { dataDir }, cause: error });
}
