/** Where the content of a file is written before the file gets its name. */

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileFaults } from './connection/failure-sentence.ts';

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

/**
 * Looks before long work whether its file can be written at the end.
 *
 * @param flag The option that names another place, e.g. `--html`.
 * @throws One sentence for people.
 */
export async function assertWritable(path: string, flag: string): Promise<void> {
  try {
    const isThere = (await stat(path).catch(() => undefined)) !== undefined;
    /** The dot asks for a folder. */
    await access(isThere ? path : `${dirname(path)}/.`, constants.W_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const fault = fileFaults[code] ?? message;
    throw new Error(`${path} cannot be written: ${fault}. Name another file with ${flag}.`, { cause: error });
  }
}
