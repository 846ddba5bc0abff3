/** Reading the YAML of a mapping: every fault is collected with its line and field. */

import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';

/** A column that the mapping names, where it does. */
export type ColumnReference = { column: string; line: number; field: string };

export type Source = {
  fault(node: unknown, field: string, detail: string): void;
  refer(node: unknown, field: string, column: string): void;
};

/** Where faults are collected. @param lineOf Line of a position in the text, from 1. */
export function createSource(lineOf: (position: number) => number) {
  const faults: { line: number; field: string; detail: string }[] = [];
  const references: ColumnReference[] = [];
  const lineOfNode = (node: unknown) => lineOf((node as Node | null)?.range?.[0] ?? 0);
  const source: Source = {
    fault: (node, field, detail) => faults.push({ line: lineOfNode(node), field, detail }),
    refer: (node, field, column) => references.push({ line: lineOfNode(node), field, column }),
  };
  return { source, faults, references };
}

export type Entry = { name: string; key: unknown; value: unknown };

/** The entries of a map, names as they are written: `007` is no 7. */
export function entriesOf(node: YAMLMap): Entry[] {
  return node.items.map(({ key, value }) => ({
    name: isScalar(key) ? writtenAs(key) : String(key),
    key,
    value,
  }));
}

const writtenAs = ({ source, value }: Scalar): string => source ?? String(value);

/** The entries of a map by name, each of which must be known. */
export function readEntries(
  node: YAMLMap,
  field: string,
  known: readonly string[],
  source: Source,
): ReadonlyMap<string, unknown> {
  const entries = entriesOf(node);
  for (const { name, key } of entries) {
    if (!known.includes(name))
      source.fault(key, field, `${JSON.stringify(name)} is none of ${known.join(', ')}.`);
  }
  return new Map(entries.map(({ name, value }) => [name, value]));
}

/** Text of a scalar; a fault and undefined when there is none. */
export function readText(node: unknown, field: string, source: Source): string | undefined {
  if (isScalar(node) && typeof node.value === 'string' && node.value !== '') return node.value;
  source.fault(node, field, 'Must be text.');
  return undefined;
}

export type Written = {
  /** As it is written, `007`; of null nothing. */
  text: string;
  /** The text of what it is, `7`. */
  value: string;
};

/** A scalar, or a list of them. */
export function readWritten(node: unknown, field: string, source: Source): Written[] {
  const nodes = isSeq(node) ? node.items : [node];
  if (nodes.every((item) => isScalar(item)))
    return nodes.map((item) => ({
      text: item.value === null ? '' : writtenAs(item),
      value: String(item.value ?? ''),
    }));
  source.fault(node, field, 'Must be a value or a list of values.');
  return [];
}

export { isMap, isScalar, isSeq };
