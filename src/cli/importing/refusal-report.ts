/** Every refused line with its faults, as NDJSON; the file exists only when there are some. */

import { open, rm } from 'node:fs/promises';
import type { RefusedLine } from '../../formats/records/batches.ts';

export type RefusalReport = {
  /** Appends, and gives the length of the file in bytes. */
  append(refused: readonly RefusedLine[]): Promise<number>;
};

/** @param keepBytes Length of what an interrupted import has written and accounted for; 0 starts anew. */
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

/** Cuts off what was written for a batch that will be sent again. */
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
