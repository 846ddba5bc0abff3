/** How far an import has come, in a file beside the input, so that one that was interrupted goes on instead of again. */

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { FileIdentity } from './file-identity.ts';

/** What an import must have in common with the interrupted one to go on with it. */
export type ImportIdentity = {
  kind: string;
  address: string;
  environment: string;
  file: FileIdentity;
  /** Hash of everything else that decides what is sent: mapping, format, item type. */
  settings: string;
};

export type ImportProgress = {
  /** Last line of the input whose batch is acknowledged; 0 for none. */
  line: number;
  accepted: number;
  refused: number;
  skipped: number;
  /** Length of the report that belongs to this state; what stands behind is of a batch that will be sent again. */
  reportBytes: number;
};

export const startOfFile: ImportProgress = { line: 0, accepted: 0, refused: 0, skipped: 0, reportBytes: 0 };

/** Progress of the same import; `other` when the file holds that of another one, undefined when there is none. */
export async function readState(
  path: string,
  identity: ImportIdentity,
): Promise<ImportProgress | 'other' | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const state = parseState(text);
  return state && JSON.stringify(state.identity) === JSON.stringify(identity) ? state.progress : 'other';
}

/** Undefined when the text is not what writeState writes. */
function parseState(text: string): { identity: unknown; progress: ImportProgress } | undefined {
  try {
    const state = JSON.parse(text);
    const isWhole = Object.keys(startOfFile).every((name) => Number.isSafeInteger(state.progress[name]));
    return isWhole ? state : undefined;
  } catch {
    return undefined;
  }
}

/** In place as a whole or not at all. */
export async function writeState(
  path: string,
  identity: ImportIdentity,
  progress: ImportProgress,
): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, `${JSON.stringify({ identity, progress }, null, 2)}\n`);
  await rename(temporary, path);
}

export async function removeState(path: string): Promise<void> {
  await rm(path, { force: true });
}
