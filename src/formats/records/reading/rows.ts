/**
 * Converts lines of any format into rows: properties of a JSON object, or cells named by the
 * header.
 */

import type { Row } from '../mapping/row.ts';
import { delimiterOf, readDelimited } from './delimited.ts';
import type { Line } from './lines.ts';

/** `line` is the first line of the record, from 1. */
export type RowOrFault = { line: number; row: Row; fault?: undefined } | { line: number; fault: string };

export type Rows = {
  /** Names of the header; undefined if each row names its own properties. */
  columns: readonly string[] | undefined;
  rows: AsyncIterable<RowOrFault>;
};

/** @param afterLine Records up to this line are skipped. */
export function readJsonRows(lines: AsyncIterable<Line>, afterLine: number): Rows {
  async function* rows(): AsyncGenerator<RowOrFault> {
    for await (const line of lines) {
      if (line.line <= afterLine) continue;
      if (line.fault !== undefined) yield line;
      else if (line.text.trim() !== '') yield parseRow(line.line, line.text);
    }
  }
  return { columns: undefined, rows: rows() };
}

function parseRow(line: number, text: string): RowOrFault {
  try {
    const row = JSON.parse(text);
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return { line, row };
    return { line, fault: 'Is not a JSON object.' };
  } catch {
    return { line, fault: 'Is not JSON.' };
  }
}

/**
 * Reads the header and then rows.
 *
 * @param delimiter Separator of fields; undefined to detect it from the header.
 * @param afterLine As in readJsonRows; the header is always read.
 */
export async function readDelimitedRows(
  lines: AsyncIterable<Line>,
  delimiter: string | undefined,
  afterLine: number,
): Promise<Rows> {
  const { heading, all } = await peek(lines);
  const records = readDelimited(all, delimiter ?? delimiterOf(heading));
  const { value: header, done } = await records.next();
  if (done) throw new Error('The file is empty; its first line must name the columns.');
  if (header.fault !== undefined) throw new Error(`Line ${header.line}, the header: ${header.fault}`);
  const columns = header.fields.map((name) => name.trim());
  const twice = columns.find((name, i) => name !== '' && columns.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`Duplicate column ${JSON.stringify(twice)} in the header.`);
  async function* rows(): AsyncGenerator<RowOrFault> {
    for await (const record of records) {
      if (record.line <= afterLine) continue;
      if (record.fault !== undefined) yield record;
      else yield nameFields(record.line, record.fields, columns);
    }
  }
  return { columns, rows: rows() };
}

/** Returns the first line with content, and all lines from it on. */
async function peek(lines: AsyncIterable<Line>): Promise<{ heading: string; all: AsyncIterable<Line> }> {
  const reader = lines[Symbol.asyncIterator]();
  let first = await reader.next();
  while (!first.done && first.value.fault === undefined && first.value.text === '')
    first = await reader.next();
  async function* all(): AsyncGenerator<Line> {
    try {
      if (!first.done) yield first.value;
      yield* { [Symbol.asyncIterator]: () => reader };
    } finally {
      await reader.return?.();
    }
  }
  const heading = first.done || first.value.fault !== undefined ? '' : first.value.text;
  return { heading, all: all() };
}

function nameFields(line: number, fields: string[], columns: readonly string[]): RowOrFault {
  if (fields.length !== columns.length)
    return { line, fault: `Has ${fields.length} columns where the header has ${columns.length}.` };
  const row: Record<string, unknown> = Object.create(null);
  for (let i = 0; i < columns.length; i += 1) if (columns[i] !== '') row[columns[i]] = fields[i];
  return { line, row };
}
