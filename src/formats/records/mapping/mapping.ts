/** Mapping files: which columns become which fields. docs/import.md describes the language. */

import { isMap, LineCounter, parseDocument } from 'yaml';
import { type Condition, compileAnyCondition } from './condition.ts';
import { compileField, compileGroup } from './field.ts';
import {
  addFault,
  type ColumnReference,
  entriesOf,
  type Place,
  type Report,
  readEntries,
  readText,
} from './place.ts';
import type { Field } from './row.ts';

export type MappedField = { name: string; read: Field };

export type Mapping = {
  fields: readonly MappedField[];
  skip: Condition;
  /** One character; undefined for the default of the format. */
  delimiter: string | undefined;
  references: readonly ColumnReference[];
  path: string;
  text: string;
};

export type RecordKind = 'items' | 'events';

/** Field that every record of a kind has. */
const requiredField: Record<RecordKind, string> = { items: 'item_id', events: 'event_type' };

/**
 * @param path Name of the file in messages.
 * @throws Error with one line for each fault: `mapping.yaml:12: items.title: …`.
 */
export function parseMapping(text: string, path: string, kind: RecordKind): Mapping {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineOf = (position: number) => Math.max(1, lineCounter.linePos(position).line);
  const faults = document.errors.map(({ pos, message }) => ({
    line: lineOf(pos[0]),
    field: 'mapping',
    detail: message,
  }));
  const report: Report = { lineOf, faults, references: [] };
  const isYaml = faults.length === 0;
  const mapping = isYaml ? compileMapping({ node: document.contents, field: '', report }, kind) : undefined;
  if (faults.length > 0)
    throw new Error(
      faults.map(({ line, field, detail }) => `${path}:${line}: ${field}: ${detail}`).join('\n'),
    );
  return { ...mapping!, references: report.references, path, text };
}

/** Checks that the header has all columns of the mapping. @throws Error with a line per fault */
export function checkColumns({ references, path }: Mapping, columns: readonly string[]): void {
  const unknown = references.filter(({ column }) => !columns.includes(column));
  if (unknown.length === 0) return;
  const lines = unknown.map(
    ({ line, field, column }) =>
      `${path}:${line}: ${field}: The file has no column ${JSON.stringify(column)}; it has ${columns.join(', ')}.`,
  );
  throw new Error(lines.join('\n'));
}

function compileMapping(place: Place, kind: RecordKind) {
  if (!isMap(place.node))
    addFault(place, `Must be an object with ${kind}, and optionally skip_when and delimiter.`);
  const entries = readEntries(place, [kind, 'skip_when', 'delimiter']);
  const [skipWhen, delimiter] = [entries.get('skip_when'), entries.get('delimiter')];
  return {
    fields: compileFields(entries.get(kind) ?? { ...place, field: kind }, entries.has(kind), kind),
    skip: skipWhen ? compileAnyCondition(skipWhen) : () => false,
    delimiter: delimiter && readDelimiter(delimiter),
  };
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
    return { name: entry.name, read: compile(entry) };
  });
}

function readDelimiter(place: Place): string | undefined {
  const text = readText(place);
  if (text !== undefined && (text.length !== 1 || /["\r\n]/.test(text)))
    addFault(place, 'Must be one character, but no quote and no line end.');
  return text;
}
