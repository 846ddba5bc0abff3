/** Opens a file of any format as outcomes: the reading that command line and console share. */

import type { Format } from './formats.ts';
import { defaultFields } from './mapping/default-fields.ts';
import { type Carry, checkColumns, type Mapping, parseMapping, type RecordKind } from './mapping/mapping.ts';
import { createOthers } from './mapping/other-columns.ts';
import { recognise } from './mapping/ready-mappings.ts';
import { type Row, textOf, valueAt } from './mapping/row.ts';
import { type Outcome, type OutgoingOptions, toOutcome } from './outgoing.ts';
import { type EncodingOptions, toUtf8 } from './reading/encoding.ts';
import { readGorseDump } from './reading/gorse-dump.ts';
import { readJson } from './reading/json.ts';
import { readLines } from './reading/lines.ts';
import { peek, type Rows, readDelimitedRows, type SourceRow } from './reading/rows.ts';

export type RecordFile = Pick<EncodingOptions, 'note' | 'onGuess'> & {
  chunks: AsyncIterable<Uint8Array>;
  format: Format;
  kind: RecordKind;
  /** Undefined for columns of the interface, or of a source that a ready mapping knows. */
  mapping: Mapping | undefined;
  encoding?: string;
  /** Gives each row a shape that a mapping can read. */
  prepare?(row: Row): Row;
};

export type OpenedRows = Rows & { mapping: Mapping | undefined };

/** Finds the columns, and the ready mapping for them. @throws Error for columns that are missing */
export async function openRows({ mapping: given, ...file }: RecordFile): Promise<OpenedRows> {
  const { columns, rows, heading } = await readRows(file, given);
  const { first, all } = columns ? { first: undefined, all: rows } : await peek(rows, () => true);
  const names = columns ?? Object.keys(first?.row ?? {});
  const source = recognise(names, file.kind);
  const ready = source && parseMapping(source.text, source.name, file.kind);
  const mapping = given ?? ready;
  if (mapping && columns) checkColumns(mapping, columns);
  const carry = mapping?.carry ?? ready?.carry;
  const prepared = file.prepare ? prepareRows(all, file.prepare) : all;
  const carried = carry ? carryDown(prepared, carry) : prepared;
  const divided = (mapping?.forEach ?? []).reduce(divide, carried);
  return { columns, heading, mapping, rows: divided };
}

async function readRows(
  { chunks, format, kind, encoding, note, onGuess }: Omit<RecordFile, 'mapping'>,
  mapping: Mapping | undefined,
): Promise<Rows> {
  const records = mapping?.records;
  if (format === 'gorse-dump') return { columns: undefined, rows: readGorseDump(chunks, kind) };
  if (format === 'xlsx') return (await import('./reading/spreadsheet.ts')).readSpreadsheet(chunks, note);
  const bytes = toUtf8(chunks, { encoding, note, onGuess, isGuessed: format !== 'ndjson' });
  if (format === 'ndjson') return { columns: undefined, rows: await readJson(bytes, records) };
  if (format === 'xml') {
    const { readXml } = await import('./reading/xml.ts');
    return { columns: undefined, rows: readXml(bytes, records) };
  }
  const delimiter = mapping?.delimiter ?? (format === 'tsv' ? '\t' : undefined);
  return readDelimitedRows(readLines(bytes), delimiter, note);
}

/** @param afterLine Records up to this line are left out. */
export async function* toOutcomes(
  { columns, rows, mapping }: OpenedRows,
  options: Omit<OutgoingOptions, 'fields' | 'skip'>,
  afterLine: number,
): AsyncGenerator<Outcome> {
  const { kind, timeZone, propertyTypes } = options;
  const zoned = mapping && parseMapping(mapping.text, mapping.path, kind, timeZone);
  const fields = zoned?.fields ?? (columns && defaultFields(columns, kind, options));
  const itemType = options.itemType ?? mapping?.itemType;
  const addOthers = mapping?.keepsOthers
    ? createOthers(mapping, { kind, propertyTypes, timeZone })
    : undefined;
  const outgoing = { ...options, itemType, fields, skip: mapping?.skip, addOthers };
  for await (const row of rows) if (row.line > afterLine) yield toOutcome(row, outgoing);
}

async function* prepareRows(rows: AsyncIterable<SourceRow>, prepare: (row: Row) => Row) {
  for await (const source of rows)
    yield source.fault === undefined ? { ...source, row: prepare(source.row) } : source;
}

/** Fills empty cells from the row above. */
async function* carryDown(
  rows: AsyncIterable<SourceRow>,
  { columns, within }: Carry,
): AsyncGenerator<SourceRow> {
  let above: Row = {};
  for await (const source of rows) {
    if (source.fault !== undefined) {
      yield source;
      continue;
    }
    const isSame = within === undefined || textOf(source.row, within) === textOf(above, within);
    const missing = isSame ? columns.filter((name) => textOf(source.row, name) === '' && above[name]) : [];
    above = { ...source.row, ...Object.fromEntries(missing.map((name) => [name, above[name]])) };
    yield { ...source, row: above };
  }
}

const mostParts = 10_000;

/** Makes a row of each element of an array, beside the other properties of its row. */
async function* divide(rows: AsyncIterable<SourceRow>, path: string): AsyncGenerator<SourceRow> {
  for await (const source of rows) {
    const found = source.fault === undefined ? valueAt(source.row, path) : undefined;
    const parts = Array.isArray(found) ? found : [];
    const fault = `Has ${parts.length} elements in ${path}; at most ${mostParts} are allowed.`;
    if (parts.length === 0) yield source;
    else if (parts.length > mostParts) yield { ...source, fault };
    else
      for (const [i, element] of parts.entries())
        yield { ...source, row: { ...source.row, [path]: element }, part: `${source.part ?? ''}.${i}` };
  }
}
