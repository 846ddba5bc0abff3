/** What a command says when it fails: the error's sentence, or one about the file or the database that would not open. */

import { DomainError } from '../../errors.ts';

const fileFaults: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be opened by this user',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
};

export function failureSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DomainError && error.cause instanceof Error) return databaseSentence(error.cause);
  const { code, path } = error as NodeJS.ErrnoException;
  const fault = code === undefined ? undefined : fileFaults[code];
  return path === undefined || fault === undefined ? error.message : `${path}: ${fault}.`;
}

/** Whoever opens the database hears the driver; callers of the service do not. A host of several addresses leaves a code alone. */
function databaseSentence({ message, code }: Error & { code?: string }): string {
  return `The database of --database-url (DATABASE_URL) cannot be used: ${message || code}.`;
}
