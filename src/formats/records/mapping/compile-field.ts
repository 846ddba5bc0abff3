/**
 * One target field of a mapping → a function on rows.
 *
 * Grammar: text is a column, or a template when it has braces; a list is an array of these, empty ones left out; and an
 * object is a source (`column`, `template` or `value`) with transforms, applied in the order of `transformNames`:
 * split → extract → map → title_case → as. `when` and `else` choose.
 */

import { compileCondition } from './conditions.ts';
import { conversions, toTitleCase } from './conversions.ts';
import { cellOf, type Field, presentText, UnreadableValue } from './row.ts';
import { entriesOf, isMap, isScalar, isSeq, readEntries, readText, type Source } from './source.ts';
import { fillTemplate, parseTemplate } from './template.ts';

const sourceNames = ['column', 'template', 'value'] as const;
const transformNames = ['extract', 'map', 'title_case', 'as'] as const;
const known = [...sourceNames, 'split', ...transformNames, 'when', 'else'];

/** Deeper nesting has no meaning in an item or event. */
const mostLevels = 8;

const nothing: Field = () => undefined;

/** Compiles the expression of a field; faults go to `source`. */
export function compileField(node: unknown, field: string, source: Source, level = 0): Field {
  if (level > mostLevels) source.fault(node, field, 'Is nested too deeply.');
  else if (isSeq(node))
    return compileList(node.items.map((item) => compileField(item, field, source, level + 1)));
  else if (isMap(node)) return compileObject(node, field, source, level);
  else if (isScalar(node) && typeof node.value === 'string' && node.value !== '')
    return node.value.includes('{')
      ? compileTemplate(node, field, node.value, source)
      : compileColumn(node, field, node.value, source);
  else
    source.fault(node, field, 'Must be a column, a template or {value: …}; write {value: 5} for a constant.');
  return nothing;
}

/** An object whose entries are fields of their own, such as item_attributes. */
export function compileGroup(node: unknown, field: string, source: Source): Field {
  if (!isMap(node)) return compileField(node, field, source);
  const members = entriesOf(node).map(
    ({ name, value }) => [name, compileField(value, `${field}.${name}`, source)] as const,
  );
  return (row) => {
    const entries = members.flatMap(([name, read]) => {
      const value = read(row);
      return value === undefined ? [] : [[name, value]];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
}

function compileList(elements: Field[]): Field {
  return (row) => presentList(elements.map((element) => element(row)));
}

function compileColumn(node: unknown, field: string, column: string, source: Source): Field {
  source.refer(node, field, column);
  return (row) => cellOf(row, column);
}

function compileTemplate(node: unknown, field: string, text: string, source: Source): Field {
  const template = parseTemplate(text);
  if (!template) {
    source.fault(node, field, 'Must be text with columns in braces, such as "{brand} {name}".');
    return nothing;
  }
  for (const { column } of template.parts) source.refer(node, field, column);
  return (row) => presentText(fillTemplate(template, row));
}

function compileObject(
  node: Parameters<typeof readEntries>[0],
  field: string,
  source: Source,
  level: number,
) {
  const entries = readEntries(node, field, known, source);
  const given = sourceNames.filter((name) => entries.has(name));
  if (given.length !== 1) source.fault(node, field, 'Needs exactly one of column, template and value.');
  const read = given[0] ? compileSource(given[0], entries.get(given[0]), field, source) : nothing;
  const transformed = withTransforms(read, entries, field, source);
  return withChoice(transformed, entries, field, source, level);
}

function compileSource(
  name: (typeof sourceNames)[number],
  node: unknown,
  field: string,
  source: Source,
): Field {
  if (name === 'value') {
    const value = isScalar(node) ? node.value : undefined;
    if (!['string', 'number', 'boolean'].includes(typeof value))
      source.fault(node, field, 'value must be text, a number, true or false.');
    return () => value;
  }
  const text = readText(node, `${field}.${name}`, source);
  if (text === undefined) return nothing;
  return name === 'column'
    ? compileColumn(node, field, text, source)
    : compileTemplate(node, field, text, source);
}

type Transform = (text: string) => unknown;
type Entries = ReadonlyMap<string, unknown>;

function withTransforms(read: Field, entries: Entries, field: string, source: Source): Field {
  const transforms = transformNames.flatMap((name) =>
    entries.has(name) ? [compileTransform(name, entries.get(name), `${field}.${name}`, source)] : [],
  );
  const apply = (value: unknown) => transforms.reduce(applyTo, value);
  if (!entries.has('split')) {
    return (row) => {
      const value = read(row);
      return Array.isArray(value) ? presentList(value.map(apply)) : apply(value);
    };
  }
  const separator = readText(entries.get('split'), `${field}.split`, source) ?? '|';
  return (row) => {
    const value = read(row);
    if (value === undefined) return undefined;
    const parts = Array.isArray(value) ? value : String(value).split(separator);
    return presentList(
      parts.map((part) => apply(typeof part === 'string' ? presentText(part.trim()) : part)),
    );
  };
}

function applyTo(value: unknown, transform: Transform): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') throw new UnreadableValue('Is not a single value.');
  return transform(String(value));
}

function compileTransform(
  name: (typeof transformNames)[number],
  node: unknown,
  field: string,
  source: Source,
): Transform {
  if (name === 'extract') return compileExtract(node, field, source);
  if (name === 'map') return compileMap(node, field, source);
  if (name === 'title_case') {
    if (!isScalar(node) || typeof node.value !== 'boolean')
      source.fault(node, field, 'Must be true or false.');
    return isScalar(node) && node.value === true ? toTitleCase : (text) => text;
  }
  const conversion = isScalar(node) ? conversions[String(node.value)] : undefined;
  if (conversion) return conversion;
  source.fault(node, field, `Must be one of ${Object.keys(conversions).join(', ')}.`);
  return (text) => text;
}

/** The first group of a regular expression, or all of its match. */
function compileExtract(node: unknown, field: string, source: Source): Transform {
  const text = readText(node, field, source) ?? '';
  try {
    const pattern = new RegExp(text, 'u');
    return (value) => {
      const match = pattern.exec(value);
      return match ? presentText((match[1] ?? match[0]).trim()) : undefined;
    };
  } catch (error) {
    source.fault(node, field, `${(error as Error).message}.`);
    return (value) => value;
  }
}

/** Values by name; others stay as they are, and a value that becomes empty is left out. */
function compileMap(node: unknown, field: string, source: Source): Transform {
  if (!isMap(node)) {
    source.fault(node, field, 'Must be an object, old value to new value.');
    return (value) => value;
  }
  const values = new Map<string, unknown>();
  for (const { name, value } of entriesOf(node)) {
    if (isScalar(value)) values.set(name, value.value === '' ? undefined : value.value);
    else source.fault(value, `${field}.${name}`, 'Must be a single value.');
  }
  return (value) => (values.has(value) ? values.get(value) : value);
}

/** `else` stands in where `when` does not hold, and where there is no value. */
function withChoice(read: Field, entries: Entries, field: string, source: Source, level: number): Field {
  const when = entries.has('when')
    ? compileCondition(entries.get('when'), `${field}.when`, source)
    : () => true;
  const otherwise = entries.has('else')
    ? compileField(entries.get('else'), `${field}.else`, source, level + 1)
    : nothing;
  return (row) => (when(row) ? read(row) : undefined) ?? otherwise(row);
}

function presentList(values: unknown[]): unknown[] | undefined {
  const present = values.filter((value) => value !== undefined && value !== null);
  return present.length === 0 ? undefined : present;
}
