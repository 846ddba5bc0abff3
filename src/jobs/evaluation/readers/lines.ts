/** Lines of a text file, unpacked when its name ends in `.gz`. */

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse/sync';

/** Without the empty ones; a byte order mark is no part of the first. */
export async function* readLines(path: string): AsyncGenerator<string> {
  for await (const { line } of numberLines(path)) yield line;
}

/** What `read` makes of each line, undefined for nothing. An error names the line that could not be read. */
export async function* readRecords<Item>(
  path: string,
  read: (line: string) => Item | undefined,
): AsyncGenerator<Item> {
  for await (const { line, number } of numberLines(path)) {
    const item = readAt(`${path}, line ${number}`, () => read(line));
    if (item !== undefined) yield item;
  }
}

function readAt<Item>(place: string, read: () => Item): Item {
  try {
    return read();
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/**
 * Lines end with LF or CR LF and nothing else: JSON may hold the separators of Unicode, at which node:readline would end a
 * line too.
 */
async function* numberLines(path: string): AsyncGenerator<{ line: string; number: number }> {
  const file = createReadStream(path, { highWaterMark: 262_144 });
  const unpacked = path.endsWith('.gz') ? createGunzip() : undefined;
  file.on('error', (error) => unpacked?.destroy(error));
  const input = unpacked === undefined ? file : file.pipe(unpacked);
  const decoder = new TextDecoder();
  let rest = '';
  let number = 1;
  for await (const chunk of input) {
    const [first, ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const other of others) {
      if (rest.trim() !== '') yield { line: withoutReturn(rest), number };
      rest = other;
      number += 1;
    }
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield { line: withoutReturn(rest), number };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Only lines with quotes need a parser, which is ten times slower than a split. */
export function splitFields(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const [fields] = parse(line, { delimiter, relax_quotes: true, relax_column_count: true }) as string[][];
  return fields;
}
