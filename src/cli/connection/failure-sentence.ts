/** What a command says when it fails: the error's sentence, or one about the file that the system would not give. */

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
  const { code, path } = error as NodeJS.ErrnoException;
  const fault = code === undefined ? undefined : fileFaults[code];
  return path === undefined || fault === undefined ? error.message : `${path}: ${fault}.`;
}
