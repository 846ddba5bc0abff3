/** Converts lines into rows: properties of a JSON object, or cells named by the header. */

import type { Row } from '../mapping/row.ts';
import { type DelimitedRecord, delimiterOf, readDelimited } from './delimited.ts';
import type { Line } from './lines.ts';
import { parseJson } from './parse-json.ts';

/**
 * A record as read. `line` is its first line from 1, or its number in a document. `text` is the
 * record as sent. With a fault, the row is empty.
 */
export type SourceRow = Line & {
  row: Row;
  /** Numbers of the row that are too large for a number; they are text. */
  long?: readonly string[];
  /** Place among the records of one row, such as `.0`. */
  part?: string;
};

export type Rows = {
  /** Names of the header; undefined if each row names its own properties. */
  columns: readonly string[] | undefined;
  rows: AsyncIterable<SourceRow>;
  /** First line and separator of a delimited file, for a file of rejected lines. */
  heading?: { text: string; delimiter: string };
};

const emptyRow: Row = {};

export async function* readJsonLines(lines: AsyncIterable<Line>): AsyncGenerator<SourceRow> {
  for await (const line of lines) {
    if (line.fault !== undefined) yield { ...line, row: emptyRow };
    else if (line.text.trim() !== '') yield parseRow(line);
  }
}

function parseRow(line: Line): SourceRow {
  try {
    const { value, long } = parseJson(line.text);
    return toRow(line, value, long);
  } catch {
    return { ...line, row: emptyRow, fault: 'Is not JSON.' };
  }
}

/** Accepts JSON objects. */
export function toRow(line: Line, value: unknown, long: readonly string[]): SourceRow {
  const isRow = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRow) return { ...line, row: emptyRow, fault: 'Is not a JSON object.' };
  return { ...line, row: value as Row, long };
}

/**
 * Reads the header and then rows. A first line such as `sep=;` names the separator.
 *
 * @param delimiter Separator of fields; undefined to detect it from the header.
 */
export async function readDelimitedRows(
  lines: AsyncIterable<Line>,
  delimiter: string | undefined,
  note: (sentence: string) => void,
): Promise<Rows> {
  let { first, all } = await peek(lines, ({ text, fault }) => text !== '' || fault !== undefined);
  const [, named] = /^"?sep=(.)"?\s*$/i.exec(first?.text ?? '') ?? [];
  if (named !== undefined)
    ({ first, all } = await peek(all, ({ text }) => text !== '' && text !== first!.text));
  const text = first?.fault === undefined ? (first?.text ?? '') : '';
  const separator = delimiter ?? named ?? delimiterOf(text);
  const records = readDelimited(all, separator);
  const { value: header, done } = await records.next();
  if (done) throw new Error('The file is empty; its first line must name the columns.');
  if (header.fault !== undefined) throw new Error(`Line ${header.line}, the header: ${header.fault}`);
  const columns = nameColumns(header.fields, note);
  return { columns, rows: nameCells(records, columns), heading: { text: header.text, delimiter: separator } };
}

/** Skips elements at the start. Returns the first other one, and all elements from it on. */
export async function peek<T>(
  source: AsyncIterable<T>,
  isWanted: (element: T) => boolean,
): Promise<{ first: T | undefined; all: AsyncIterable<T> }> {
  const reader = source[Symbol.asyncIterator]();
  let first = await reader.next();
  while (!first.done && !isWanted(first.value)) first = await reader.next();
  async function* all(): AsyncGenerator<T> {
    try {
      if (!first.done) yield first.value;
      yield* { [Symbol.asyncIterator]: () => reader };
    } finally {
      await reader.return?.();
    }
  }
  return { first: first.done ? undefined : first.value, all: all() };
}

/** Returns distinct names of columns: a repeated `tags` is `tags (2)`. Blank ones stay blank. */
export function nameColumns(header: readonly string[], note: (sentence: string) => void): string[] {
  const counts = new Map<string, number>();
  const written = new Set(header.map((cell) => cell.trim()));
  return header.map((cell) => {
    const name = cell.trim();
    let count = (counts.get(name) ?? 0) + 1;
    while (count > 1 && written.has(`${name} (${count})`)) count += 1;
    counts.set(name, count);
    if (name === '' || count === 1) return name;
    note(
      `The header repeats ${JSON.stringify(name)}; a mapping can read the later one as "${name} (${count})".`,
    );
    return `${name} (${count})`;
  });
}

/** Rows without any value are left out, as spreadsheets write them below a table. */
export async function* nameCells(
  records: AsyncIterable<DelimitedRecord>,
  columns: readonly string[],
): AsyncGenerator<SourceRow> {
  for await (const { fields, ...record } of records) {
    if (record.fault !== undefined) yield { ...record, row: emptyRow };
    else if (fields.some((field) => field.trim() !== '')) yield nameFields(record, fields, columns);
  }
}

function nameFields(record: Line, fields: string[], columns: readonly string[]): SourceRow {
  const isLong = fields.slice(columns.length).some((field) => field.trim() !== '');
  if (fields.length < columns.length || isLong) {
    const fault = `Has ${fields.length} columns where the header has ${columns.length}.`;
    return { ...record, row: emptyRow, fault };
  }
  const row: Record<string, unknown> = Object.create(null);
  for (let i = 0; i < columns.length; i += 1) if (columns[i] !== '') row[columns[i]] = fields[i];
  return { ...record, row };
}
