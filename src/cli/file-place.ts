/** Where the content of a file is written before the file gets its name. */

import { stat } from 'node:fs/promises';

/**
 * Beside the file, with the ending. A pipe or a device is written to where it stands: a file in its place would end it for
 * everybody else, /dev/null for the whole machine.
 */
export async function placeBefore(path: string, ending: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  const isFileOrNone = found === undefined || found.isFile() || found.isDirectory();
  return isFileOrNone ? `${path}${ending}` : path;
}
