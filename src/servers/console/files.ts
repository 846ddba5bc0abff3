/** The files of the console's build, a few megabytes, cached after their first request. */

import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

export type ConsoleFile = {
  contentType: string;
  encoding?: 'br' | 'gzip';
  bytes: Buffer;
  /** The name changes with the content. */
  isHashed: boolean;
};

export type ConsoleFiles = {
  /** @param name Path below `/console`. */
  find(name: string, acceptEncoding: string | undefined): Promise<ConsoleFile | undefined>;
  /** Returns the page, with placeholders for the nonce and the settings. */
  page(): Promise<string>;
  /** Tests whether another build has replaced this one. */
  isStale(): boolean;
};

const pageName = 'index.html';

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const encodings = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const;

/** Returns undefined when there is no build. Reads only files that the folder holds now. */
export function openConsoleFiles(folder: URL): ConsoleFiles | undefined {
  const builtAt = () => statSync(new URL(pageName, folder), { throwIfNoEntry: false })?.mtimeMs;
  const openedAt = builtAt();
  if (openedAt === undefined) return undefined;
  const names = new Set(
    readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll('\\', '/')),
  );
  const kept = new Map<string, Promise<Buffer>>();
  const read = (name: string): Promise<Buffer> => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const reading = readFile(new URL(name, folder));
    kept.set(name, reading);
    /** Failures are not cached. */
    reading.catch(() => kept.delete(name));
    return reading;
  };
  return {
    async find(name, acceptEncoding = '') {
      const contentType = contentTypes[extname(name)];
      if (contentType === undefined || !names.has(name)) return undefined;
      const packed = encodings.find(
        ({ encoding, suffix }) => acceptEncoding.includes(encoding) && names.has(name + suffix),
      );
      const bytes = await read(name + (packed?.suffix ?? ''));
      return { contentType, encoding: packed?.encoding, bytes, isHashed: name.startsWith('assets/') };
    },
    page: async () => (await read(pageName)).toString('utf8'),
    isStale: () => builtAt() !== openedAt,
  };
}
