/** Mapping files: which columns become which fields. docs/import.md describes the language. */

import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import { formatOf } from '../../../ranking/runtime/time-zones.ts';
import { compileAnyCondition, type Reason } from './condition.ts';
import { compileField, compileGroup } from './field.ts';
import { shapeValue } from './field-shapes.ts';
import {
  addFault,
  type ColumnReference,
  entriesOf,
  type Place,
  type Report,
  readBoolean,
  readEntries,
  readText,
  readValues,
} from './place.ts';
import type { Field } from './row.ts';

export type MappedField = { name: string; read: Field };

/** Columns with empty cells that take the value of the row above. */
export type Carry = {
  columns: readonly string[];
  /** Column that has to be the same as in the row above; undefined for all rows. */
  within: string | undefined;
};

export type Mapping = {
  fields: readonly MappedField[];
  /** Why a row is skipped; undefined for one that is not. */
  skip: Reason;
  /** One character; undefined for the default of the format. */
  delimiter: string | undefined;
  /** Path of the array of records in a JSON document, or name of their element in XML. */
  records: string | undefined;
  /** Paths of arrays, outer ones first, of which each element becomes a record. */
  forEach: readonly string[];
  /** Item type of records without one. */
  itemType: string | undefined;
  carry: Carry | undefined;
  /** Lacking columns are empty, and undeclared fields become item_attributes. */
  isLenient: boolean;
  /** Columns that no field reads become fields of their names. */
  keepsOthers: boolean;
  /** Columns without a place here, which imports count. */
  leaveOut: readonly string[];
  references: readonly ColumnReference[];
  path: string;
  text: string;
};

export type RecordKind = 'items' | 'events';

/** Field that every record of a kind has. */
const requiredField: Record<RecordKind, string> = { items: 'item_id', events: 'event_type' };

/**
 * @param path Name of the file in messages.
 * @param timeZone IANA zone of times without an offset.
 * @throws Error with one line for each fault: `mapping.yaml:12: items.title: …`.
 */
export function parseMapping(text: string, path: string, kind: RecordKind, timeZone = 'UTC'): Mapping {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineOf = (position: number) => Math.max(1, lineCounter.linePos(position).line);
  const faults = document.errors.map(({ pos, message }) => ({
    line: lineOf(pos[0]),
    field: 'mapping',
    detail: message,
  }));
  const report: Report = { lineOf, faults, references: [], timeZone };
  const isYaml = faults.length === 0;
  const mapping = isYaml ? compileMapping({ node: document.contents, field: '', report }, kind) : undefined;
  if (faults.length > 0)
    throw new Error(
      faults.map(({ line, field, detail }) => `${path}:${line}: ${field}: ${detail}`).join('\n'),
    );
  return { ...mapping!, references: report.references, path, text };
}

/** Checks that the header has all columns of the mapping. @throws Error with a line per fault */
export function checkColumns(mapping: Mapping, columns: readonly string[]): void {
  const isKnown = (column: string) =>
    columns.some((name) => column === name || column.startsWith(`${name}.`));
  const unknown = mapping.references.filter(({ column }) => !isKnown(column));
  if (unknown.length === 0 || mapping.isLenient) return;
  const lines = unknown.map(
    ({ line, field, column }) =>
      `${mapping.path}:${line}: ${field}: The file has no column ${JSON.stringify(column)}; it has ${columns.join(', ')}.`,
  );
  throw new Error(lines.join('\n'));
}

/** `recognise` lists columns that show the source of a file; ready mappings have it. */
const options = [
  ...['skip_when', 'delimiter', 'records', 'for_each', 'item_type', 'carry_down', 'time_zone', 'lenient'],
  ...['keep_others', 'leave_out', 'recognise'],
];

function compileMapping(place: Place, kind: RecordKind) {
  if (!isMap(place.node))
    addFault(place, `Must be an object with ${kind}, and optionally ${options.join(', ')}.`);
  const entries = readEntries(place, [kind, ...options]);
  const optional = <T>(name: string, read: (at: Place) => T): T | undefined => {
    const entry = entries.get(name);
    return entry && read(entry);
  };
  optional('time_zone', readTimeZone);
  return {
    fields: compileFields(entries.get(kind) ?? { ...place, field: kind }, entries.has(kind), kind),
    skip: optional('skip_when', compileAnyCondition) ?? (() => undefined),
    delimiter: optional('delimiter', readDelimiter),
    records: optional('records', readText),
    forEach: optional('for_each', readNames) ?? [],
    itemType: optional('item_type', readText),
    carry: optional('carry_down', readCarry),
    isLenient: optional('lenient', readBoolean) ?? false,
    keepsOthers: optional('keep_others', readBoolean) ?? false,
    leaveOut: optional('leave_out', readNames) ?? [],
  };
}

/** Reads a list of columns, or `{columns, within}`. */
function readCarry(place: Place): Carry {
  if (isSeq(place.node)) return { columns: readNames(place), within: undefined };
  const entries = readEntries(place, ['columns', 'within']);
  const within = entries.get('within');
  return {
    columns: readNames(entries.get('columns') ?? { ...place, field: `${place.field}.columns` }),
    within: within && readText(within),
  };
}

/** Replaces the zone of the environment. */
function readTimeZone(place: Place): void {
  place.report.timeZone = readText(place) ?? 'UTC';
  try {
    formatOf(place.report.timeZone);
  } catch {
    addFault(place, 'Must be a time zone such as Europe/Berlin.');
  }
}

function readNames(place: Place): string[] {
  return readValues(place).map(({ value }) => value);
}

function compileFields(place: Place, isGiven: boolean, kind: RecordKind): MappedField[] {
  if (!isGiven || !isMap(place.node)) {
    addFault(place, `Must be an object, field of the ${kind} to column.`);
    return [];
  }
  const entries = entriesOf(place);
  const required = requiredField[kind];
  if (!entries.some(({ name }) => name === required))
    addFault({ ...place, field: `${kind}.${required}` }, 'Is required.');
  return entries.map((entry) => {
    const compile = entry.name === 'item_attributes' ? compileGroup : compileField;
    const read = compile(entry);
    return { name: entry.name, read: (row) => shapeValue(entry.name, read(row)) };
  });
}

function readDelimiter(place: Place): string | undefined {
  const text = readText(place);
  if (text !== undefined && (text.length !== 1 || /["\r\n]/.test(text)))
    addFault(place, 'Must be one character, but no quote and no line end.');
  return text;
}
