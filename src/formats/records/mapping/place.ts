/** Reads the YAML of a mapping. Faults and column names are collected with their line and field. */

import { isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';

export type MappingFault = { line: number; field: string; detail: string };

/** A column that the mapping names. */
export type ColumnReference = { line: number; field: string; column: string };

export type Report = {
  /** Returns the line of a position in the text, from 1. */
  lineOf(position: number): number;
  faults: MappingFault[];
  references: ColumnReference[];
  /** IANA zone of times without an offset. */
  timeZone: string;
};

/** A YAML node and its field, for example `items.title`; empty for the whole mapping. */
export type Place = { node: unknown; field: string; report: Report };

export function addFault({ node, field, report }: Place, detail: string): void {
  report.faults.push({ line: lineOf(node, report), field: field || 'mapping', detail });
}

export function addReference({ node, field, report }: Place, column: string): void {
  report.references.push({ line: lineOf(node, report), field, column });
}

function lineOf(node: unknown, report: Report): number {
  return report.lineOf((node as Node | null)?.range?.[0] ?? 0);
}

export type Entry = Place & { name: string; key: unknown };

/** Returns the entries of a map. Names are as written, so `007` is not 7. */
export function entriesOf({ node, field, report }: Place): Entry[] {
  if (!isMap(node)) return [];
  return node.items.map(({ key, value }) => {
    const name = isScalar(key) ? writtenAs(key) : String(key);
    return { name, key, node: value, field: field === '' ? name : `${field}.${name}`, report };
  });
}

const writtenAs = ({ source, value }: Scalar): string => source ?? String(value);

/** Returns the entries of a map by name, and reports unknown names. */
export function readEntries(place: Place, known: readonly string[]): ReadonlyMap<string, Entry> {
  const entries = entriesOf(place);
  for (const { name, key } of entries)
    if (!known.includes(name))
      addFault({ ...place, node: key }, `Unknown key ${JSON.stringify(name)}. Expected ${known.join(', ')}.`);
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** Returns the text of a scalar; reports a fault and returns undefined if there is none. */
export function readText(place: Place): string | undefined {
  const { node } = place;
  if (isScalar(node) && typeof node.value === 'string' && node.value !== '') return node.value;
  addFault(place, 'Must be text.');
  return undefined;
}

/** Returns true or false; reports a fault and returns undefined for anything else. */
export function readBoolean(place: Place): boolean | undefined {
  const { node } = place;
  if (isScalar(node) && typeof node.value === 'boolean') return node.value;
  addFault(place, 'Must be true or false.');
  return undefined;
}

/** A scalar as written (`007`, empty for null) and as text of its value (`7`). */
export type WrittenValue = { text: string; value: string };

/** Returns a scalar or a list of scalars. */
export function readValues(place: Place): WrittenValue[] {
  const nodes = isSeq(place.node) ? place.node.items : [place.node];
  if (nodes.every((node) => isScalar(node)))
    return nodes.map((node) => ({
      text: node.value === null ? '' : writtenAs(node),
      value: String(node.value ?? ''),
    }));
  addFault(place, 'Must be a value or a list of values.');
  return [];
}
