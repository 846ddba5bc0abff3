/** A file of lines about refused records. Without lines there is no file. */

import { open, rm } from 'node:fs/promises';

export type LineFile = {
  /** Appends lines, and returns the length of the file in bytes. */
  append(lines: readonly string[]): Promise<number>;
};

/** @param keepBytes Confirmed length; 0 starts a new file. @param heading Its first line. */
export async function openLineFile(path: string, keepBytes: number, heading?: string): Promise<LineFile> {
  let length = keepBytes;
  if (keepBytes === 0) await rm(path, { force: true });
  else length = await shorten(path, keepBytes);
  return {
    async append(lines) {
      if (lines.length === 0) return length;
      const all = length === 0 && heading !== undefined ? [heading, ...lines] : lines;
      const file = await open(path, 'a');
      try {
        await file.appendFile(`${all.join('\n')}\n`);
        length = (await file.stat()).size;
      } finally {
        await file.close();
      }
      return length;
    },
  };
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
