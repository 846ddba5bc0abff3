/** A mapping file: which columns become which fields. docs/import.md has the grammar with examples. */

import { LineCounter, parseDocument } from 'yaml';
import { compileField, compileGroup } from './compile-field.ts';
import { type Condition, compileAnyCondition } from './conditions.ts';
import type { Field } from './row.ts';
import {
  type ColumnReference,
  createSource,
  entriesOf,
  isMap,
  readEntries,
  readText,
  type Source,
} from './source.ts';

export type MappedField = { name: string; read: Field };

export type Mapping = {
  fields: readonly MappedField[];
  /** Rows that are passed over. */
  skip: Condition;
  /** One character; undefined for the format's own. */
  delimiter: string | undefined;
  references: readonly ColumnReference[];
  path: string;
  /** The file as it was written, for telling mappings apart. */
  text: string;
};

export type RecordKind = 'items' | 'events';

/** Without them no record of the kind can be stored. */
const requiredFields: Record<RecordKind, readonly string[]> = { items: ['item_id'], events: ['event_type'] };

/**
 * @param path Names the file in messages.
 * @throws Error with one line a fault: `mapping.yaml:12: items.title: …`.
 */
export function parseMapping(text: string, path: string, kind: RecordKind): Mapping {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineOf = (position: number) => Math.max(1, lineCounter.linePos(position).line);
  const { source, faults, references } = createSource(lineOf);
  for (const { pos, message } of document.errors)
    faults.push({ line: lineOf(pos[0]), field: 'mapping', detail: message });
  const mapping = faults.length === 0 ? compileMapping(document.contents, kind, source) : undefined;
  if (faults.length > 0 || !mapping)
    throw new Error(
      faults.map(({ line, field, detail }) => `${path}:${line}: ${field}: ${detail}`).join('\n'),
    );
  return { ...mapping, references, path, text };
}

/** Every column that the mapping names must be in the header. @throws Error with one line a fault. */
export function checkColumns({ references, path }: Mapping, columns: readonly string[]): void {
  const unknown = references.filter(({ column }) => !columns.includes(column));
  if (unknown.length === 0) return;
  const lines = unknown.map(
    ({ line, field, column }) =>
      `${path}:${line}: ${field}: The file has no column ${JSON.stringify(column)}; it has ${columns.join(', ')}.`,
  );
  throw new Error(lines.join('\n'));
}

function compileMapping(
  node: unknown,
  kind: RecordKind,
  source: Source,
): Omit<Mapping, 'references' | 'path' | 'text'> | undefined {
  if (!isMap(node)) {
    source.fault(node, 'mapping', `Must be an object with ${kind}, and skip_when and delimiter if need be.`);
    return undefined;
  }
  const entries = readEntries(node, 'mapping', [kind, 'skip_when', 'delimiter'], source);
  const skipWhen = entries.get('skip_when');
  return {
    fields: compileFields(entries.get(kind) ?? node, entries.has(kind), kind, source),
    skip: skipWhen === undefined ? () => false : compileAnyCondition(skipWhen, 'skip_when', source),
    delimiter: entries.has('delimiter') ? readDelimiter(entries.get('delimiter'), source) : undefined,
  };
}

function compileFields(node: unknown, isGiven: boolean, kind: RecordKind, source: Source): MappedField[] {
  if (!isGiven || !isMap(node)) {
    source.fault(node, kind, `Must be given: an object, field of the ${kind} to column.`);
    return [];
  }
  const entries = entriesOf(node);
  for (const name of requiredFields[kind]) {
    if (!entries.some((entry) => entry.name === name))
      source.fault(node, `${kind}.${name}`, 'Must be given.');
  }
  return entries.map(({ name, value }) => {
    const compile = name === 'item_attributes' ? compileGroup : compileField;
    return { name, read: compile(value, `${kind}.${name}`, source) };
  });
}

function readDelimiter(node: unknown, source: Source): string | undefined {
  const text = readText(node, 'delimiter', source);
  if (text !== undefined && (text.length !== 1 || /["\r\n]/.test(text)))
    source.fault(node, 'delimiter', 'Must be one character, neither a quote nor a line end.');
  return text;
}
