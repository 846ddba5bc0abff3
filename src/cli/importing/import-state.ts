/** The progress of an import, in a file beside the input, so that an interrupted import can continue. */

import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parseJson } from '../json.ts';

export type FileIdentity = {
  sizeBytes: number;
  modifiedMs: number;
  /** SHA-256 of the size, the first and the last 64 KiB, 32 hexadecimal digits: the same for a copy of the file. */
  hash: string;
};

/** The properties by which an import continues an interrupted one. */
export type ImportIdentity = {
  kind: string;
  address: string;
  environment: string;
  file: FileIdentity;
  /** Hash of the settings that decide what is sent: mapping, format, item type. */
  settings: string;
};

export type ImportProgress = {
  /** Last line of the input in an acknowledged batch; 0 for none. */
  line: number;
  accepted: number;
  refused: number;
  skipped: number;
  /** Not newer than the stored item. */
  older: number;
  /** Length of the report at this state; anything after it belongs to a batch that is sent again. */
  reportBytes: number;
  /** The same of the file of rejected lines. */
  rejectedBytes: number;
};

export const startOfFile: ImportProgress = {
  line: 0,
  accepted: 0,
  refused: 0,
  skipped: 0,
  older: 0,
  reportBytes: 0,
  rejectedBytes: 0,
};

const sampleBytes = 65_536;

/** Identifies a file without reading all of it. */
export async function identifyFile(path: string): Promise<FileIdentity> {
  const file = await open(path, 'r');
  try {
    const { size, mtimeMs } = await file.stat();
    const buffer = Buffer.alloc(sampleBytes);
    const hash = createHash('sha256').update(`${size}\n`);
    for (const position of [0, Math.max(0, size - sampleBytes)]) {
      const { bytesRead } = await file.read(buffer, 0, sampleBytes, position);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return { sizeBytes: size, modifiedMs: Math.trunc(mtimeMs), hash: hash.digest('hex').slice(0, 32) };
  } finally {
    await file.close();
  }
}

/** Returns the progress of the same import, `other` for the file of another import, undefined without a file. */
export async function readState(
  path: string,
  identity: ImportIdentity,
): Promise<ImportProgress | 'other' | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const state = parseJson(text) as { identity?: unknown; progress?: ImportProgress } | null | undefined;
  const progress = state?.progress;
  const isComplete = Object.keys(startOfFile).every((name) =>
    Number.isSafeInteger(progress?.[name as keyof ImportProgress]),
  );
  const isSame = JSON.stringify(state?.identity) === JSON.stringify(identity);
  return isComplete && isSame ? progress : 'other';
}

/** Replaces the file completely or not at all. */
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
