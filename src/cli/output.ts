/** Output of commands: lines, tables, and messages as JSON. */

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints on standard error, apart from the results. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints a message in the JSON of the HTTP interface. @param indent Spaces of a level; 0 prints one line. */
export async function printMessage<Schema extends DescMessage>(
  schema: Schema,
  message: MessageShape<Schema>,
  indent = 2,
): Promise<void> {
  const { encodeJson } = await import('../formats/codec.ts');
  print(JSON.stringify(encodeJson(schema, message), null, indent));
}

/** Returns an ISO 8601 time, empty for none. */
export const momentOf = (time: Timestamp | undefined): string =>
  time ? timestampDate(time).toISOString() : '';

/** Joins the parts that are not empty. */
export function joinParts(parts: readonly (string | false | undefined)[], separator = '  '): string {
  return parts.filter((part) => part).join(separator);
}

export type Cell = string | number | bigint | undefined;

/** Aligns rows in columns, numbers to the right. */
export function formatTable(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [heads, ...rows].map((row) => row.map((cell) => (cell === undefined ? '' : String(cell))));
  const widths = heads.map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  const isNumber = heads.map((_, column) => rows.some((row) => /number|bigint/.test(typeof row[column])));
  const align = (text: string, column: number) =>
    isNumber[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  return texts.map((row) => `${row.map(align).join('  ').trimEnd()}\n`).join('');
}
