/** Where the content of a file is written before the file gets its name. */

import { stat } from 'node:fs/promises';

/** Names of what is open already, be it a file: nothing can stand beside it. */
const openAlready = /^\/dev\/std(out|err)$|^\/(dev|proc\/\w+)\/fd\/\d+$/;

/**
 * Beside the file, with the ending. A pipe or a device is written to where it stands: a file in its place would end it for
 * everybody else, /dev/null for the whole machine.
 */
export async function placeBefore(path: string, ending: string): Promise<string> {
  if (openAlready.test(path)) return path;
  const found = await stat(path).catch(() => undefined);
  const isFileOrNone = found === undefined || found.isFile() || found.isDirectory();
  return isFileOrNone ? `${path}${ending}` : path;
}
