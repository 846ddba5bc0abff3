/**
 * Compiles the expression of a field into a function on rows.
 *
 * Text is a column, or a template if it has braces. A list is an array of expressions, without the
 * empty ones. An object is a source (`column`, `template` or `value`) with transforms, applied in
 * the order split, extract, map, title_case, as, path; `when` and `else` choose.
 */

import { isMap, isScalar, isSeq } from 'yaml';
import { compileCondition } from './condition.ts';
import { conversions, toTitleCase } from './conversions.ts';
import {
  addFault,
  addReference,
  type Entry,
  entriesOf,
  type Place,
  readBoolean,
  readEntries,
  readText,
} from './place.ts';
import { cellOf, type Field, presentText, SkippedRecord, UnreadableValue, writtenCell } from './row.ts';
import { fillTemplate, parseTemplate } from './template.ts';

type Transform = (text: string) => unknown;
type Entries = ReadonlyMap<string, Entry>;

const sourceNames = ['column', 'template', 'value'] as const;

const transforms: Readonly<Record<string, (place: Place) => Transform>> = {
  extract: compileExtract,
  map: compileMap,
  title_case: (place) => (readBoolean(place) ? toTitleCase : unchanged),
  as: compileConversion,
  path: compilePath,
};

const known = [...sourceNames, 'split', ...Object.keys(transforms), 'when', 'else', 'unreadable'];

/** Items and events have no deeper nesting. */
const mostLevels = 8;

const nothing: Field = () => undefined;
const unchanged: Transform = (text) => text;

export function compileField(place: Place, level = 0): Field {
  const { node } = place;
  if (level > mostLevels) addFault(place, `Must not be nested deeper than ${mostLevels} levels.`);
  else if (isSeq(node)) {
    const elements = node.items.map((item) => compileField({ ...place, node: item }, level + 1));
    return (row) => presentList(elements.map((read) => read(row)));
  } else if (isMap(node)) return compileObject(place, level);
  else if (isScalar(node) && typeof node.value === 'string' && node.value !== '')
    return node.value.includes('{') ? compileTemplate(place, node.value) : compileColumn(place, node.value);
  else addFault(place, 'Must be a column, a template or {value: …}; write {value: 5} for a constant.');
  return nothing;
}

/** Compiles an object of fields, such as item_attributes. */
export function compileGroup(place: Place): Field {
  if (!isMap(place.node)) return compileField(place);
  const members = entriesOf(place).map((entry) => [entry.name, compileField(entry)] as const);
  return (row) => {
    const values = members.map(([name, read]) => [name, read(row)] as const);
    const present = values.filter(([, value]) => value !== undefined);
    return present.length === 0 ? undefined : Object.fromEntries(present);
  };
}

function compileColumn(place: Place, column: string, read = cellOf): Field {
  addReference(place, column);
  return (row) => read(row, column);
}

function compileTemplate(place: Place, text: string): Field {
  const template = parseTemplate(text);
  if (!template) {
    addFault(place, 'Must be text with columns in braces, such as "{brand} {name}".');
    return nothing;
  }
  for (const { column } of template.parts) addReference(place, column);
  return (row) => presentText(fillTemplate(template, row));
}

function compileObject(place: Place, level: number): Field {
  const entries = readEntries(place, known);
  const read = withChoice(withTransforms(compileSource(place, entries), entries), entries.get('unreadable'));
  const [condition, alternative] = [entries.get('when'), entries.get('else')];
  const when = condition ? compileCondition(condition) : () => true;
  const otherwise = alternative ? compileField(alternative, level + 1) : nothing;
  return (row) => (when(row) ? read(row) : undefined) ?? otherwise(row);
}

const choices = ['leave_out', 'skip'];

/** Leaves out a value that cannot be converted, or skips its record. */
function withChoice(read: Field, entry: Entry | undefined): Field {
  if (entry === undefined) return read;
  const choice = readText(entry);
  if (choice === undefined || !choices.includes(choice)) addFault(entry, `Must be ${choices.join(' or ')}.`);
  return (row) => {
    try {
      return read(row);
    } catch (error) {
      if (!(error instanceof UnreadableValue)) throw error;
      if (choice === 'skip') throw new SkippedRecord(error.message);
      return undefined;
    }
  };
}

function compileSource(place: Place, entries: Entries): Field {
  const given = sourceNames.filter((name) => entries.has(name));
  if (given.length !== 1) addFault(place, 'Needs exactly one of column, template and value.');
  if (given.length === 0) return nothing;
  const entry = entries.get(given[0])!;
  const source = { ...entry, field: place.field };
  if (given[0] === 'value') {
    const value = isScalar(entry.node) ? entry.node.value : undefined;
    if (!['string', 'number', 'boolean'].includes(typeof value))
      addFault(source, 'value must be text, a number, true or false.');
    return () => value;
  }
  const text = readText(entry);
  if (text === undefined) return nothing;
  if (given[0] === 'template') return compileTemplate(source, text);
  return compileColumn(source, text, entries.has('map') ? writtenCell : cellOf);
}

function withTransforms(read: Field, entries: Entries): Field {
  const given = Object.entries(transforms).flatMap(([name, compile]) => {
    const entry = entries.get(name);
    return entry ? [compile(entry)] : [];
  });
  const apply = (value: unknown) => given.reduce(applyTo, value);
  const split = entries.get('split');
  const separator = split && (readText(split) ?? '|');
  const applyToPart = (part: unknown) => apply(typeof part === 'string' ? presentText(part.trim()) : part);
  const applyToWhole = entries.has('path') ? (value: unknown) => presentList([apply(value)]) : apply;
  const splitText = separator === undefined ? undefined : createSplit(separator);
  return (row) => {
    const value = read(row);
    if (!splitText) return Array.isArray(value) ? presentList(value.map(apply)) : applyToWhole(value);
    if (value === undefined) return undefined;
    const parts = Array.isArray(value) ? value : splitText(String(value));
    return presentList(parts.map(applyToPart));
  };
}

function applyTo(value: unknown, transform: Transform): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') throw new UnreadableValue('Is not a single value.');
  return transform(String(value));
}

/** Returns the first group of a regular expression, or the whole match if it has no group. */
function compileExtract(place: Place): Transform {
  try {
    const pattern = new RegExp(readText(place) ?? '', 'u');
    return (value) => {
      const match = pattern.exec(value);
      return match ? presentText((match[1] ?? match[0]).trim()) : undefined;
    };
  } catch (error) {
    addFault(place, `${(error as Error).message}.`);
    return unchanged;
  }
}

/** Replaces the named values. A value that becomes empty is left out. */
function compileMap(place: Place): Transform {
  if (!isMap(place.node)) addFault(place, 'Must be an object, old value to new value.');
  const values = new Map<string, unknown>();
  for (const entry of entriesOf(place)) {
    const { node } = entry;
    if (isScalar(node)) values.set(entry.name, node.value === '' ? undefined : node.value);
    else addFault(entry, 'Must be a single value.');
  }
  return (value) => (values.has(value) ? values.get(value) : value);
}

function compileConversion(place: Place): Transform {
  const name = isScalar(place.node) ? String(place.node.value) : '';
  const conversion = Object.hasOwn(conversions, name) && conversions[name as keyof typeof conversions];
  if (conversion) return (text) => conversion(text, place.report.timeZone);
  addFault(place, `Must be one of ${Object.keys(conversions).join(', ')}.`);
  return unchanged;
}

/** Splits text into the names of a path. */
function compilePath(place: Place): Transform {
  return createSplit(readText(place) ?? '/');
}

/** Splits at a separator unless a backslash precedes it; parts are trimmed, and not empty. */
export function createSplit(separator: string): (text: string) => string[] {
  const escaped = `\\${separator}`;
  return (text) => {
    const parts: string[] = [];
    for (const part of text.split(separator)) {
      const isContinued = parts.at(-1)?.endsWith('\\');
      if (isContinued) parts.push(parts.pop()! + separator + part);
      else parts.push(part);
    }
    return parts.map((part) => part.replaceAll(escaped, separator).trim()).filter((part) => part !== '');
  };
}

function presentList(values: unknown[]): unknown[] | undefined {
  const present = values.filter((value) => value !== undefined && value !== null);
  return present.length === 0 ? undefined : present;
}
