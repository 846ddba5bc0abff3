/** What a command says when it fails: the error's sentence, or one about the file that would not open. */

/** By the system's code. */
export const fileFaults: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be opened by this user',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
  EROFS: 'its file system is read-only',
};

export function failureSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const fault = code === undefined ? undefined : fileFaults[code];
  if (path !== undefined && fault !== undefined) return `${path}: ${fault}.`;
  return `${error.message}${complaintOf(error.cause)}`;
}

const sqlState = /^[0-9A-Z]{5}$/;

/** What the database itself said, for those who run it. */
function complaintOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const { code } = cause as { code?: unknown };
  if (typeof code !== 'string' || !sqlState.test(code)) return '';
  return ` (SQLSTATE ${code}: ${cause.message})`;
}
