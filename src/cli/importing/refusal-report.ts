/** The refused lines with their faults, as NDJSON. Without refused lines there is no file. */

import { open, rm } from 'node:fs/promises';
import type { RefusedLine } from '../../formats/records/batches.ts';

export type RefusalReport = {
  /** Appends lines, and returns the length of the file in bytes. */
  append(refused: readonly RefusedLine[]): Promise<number>;
};

/** @param keepBytes Length that the state of an interrupted import confirms; 0 starts a new file. */
export async function openRefusalReport(path: string, keepBytes: number): Promise<RefusalReport> {
  let length = keepBytes;
  if (keepBytes === 0) await rm(path, { force: true });
  else length = await shorten(path, keepBytes);
  return {
    async append(refused) {
      if (refused.length === 0) return length;
      const text = refused.map((entry) => JSON.stringify(toEntry(entry))).join('\n');
      const file = await open(path, 'a');
      try {
        await file.appendFile(`${text}\n`);
        length = (await file.stat()).size;
      } finally {
        await file.close();
      }
      return length;
    },
  };
}

function toEntry({ line, faults }: RefusedLine) {
  return { line, errors: faults.map(({ pointer, detail }) => ({ pointer, detail })) };
}

/** Removes the lines of a batch that is sent again. */
async function shorten(path: string, keepBytes: number): Promise<number> {
  const file = await open(path, 'a');
  try {
    const length = Math.min((await file.stat()).size, keepBytes);
    await file.truncate(length);
    return length;
  } finally {
    await file.close();
  }
}
