/** Lines of a text file, unpacked when its name ends in `.gz`. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse/sync';

/** Without the empty ones; a byte order mark is no part of the first. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unpacked = path.endsWith('.gz') ? createGunzip() : undefined;
  file.on('error', (error) => unpacked?.destroy(error));
  const input = unpacked === undefined ? file : file.pipe(unpacked);
  const failure = new Promise<never>((_, reject) => input.once('error', reject));
  failure.catch(() => undefined);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([lines.next(), failure]);
    if (done) return;
    const line = value.replace(/^\uFEFF/, '');
    if (line.trim() !== '') yield line;
  }
}

/** Only lines with quotes need a parser, which is ten times slower than a split. */
export function splitFields(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const [fields] = parse(line, { delimiter, relax_quotes: true, relax_column_count: true }) as string[][];
  return fields;
}
