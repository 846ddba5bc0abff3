/**
 * Tiny data sets in the file formats of the public ones, by which every quality benchmark can be tried in seconds.
 *
 * All of it is drawn from a seeded chance, so that the files are the same everywhere; figures that come of them say nothing.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bandit } from './bandit.ts';
import type { Files } from './files.ts';
import { grocer } from './grocer.ts';
import { logs } from './logs.ts';
import { texts } from './texts.ts';

export async function writeTinyData(folder: string): Promise<void> {
  const files: Files = { ...texts, ...logs, ...grocer, ...bandit };
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, path.endsWith('.gz') ? gzipSync(text) : text);
  }
}
