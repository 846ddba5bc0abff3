/** Reading the YAML of a mapping: every fault is collected with its line and field. */

import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';

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

/** The entries of a map, names as text. */
export function entriesOf(node: YAMLMap): Entry[] {
  return node.items.map(({ key, value }) => ({ name: String(isScalar(key) ? key.value : key), key, value }));
}

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

/** A scalar as text, or a list of them. */
export function readTexts(node: unknown, field: string, source: Source): string[] {
  const nodes = isSeq(node) ? node.items : [node];
  if (nodes.every((item) => isScalar(item))) return nodes.map((item) => String(item.value ?? ''));
  source.fault(node, field, 'Must be a value or a list of values.');
  return [];
}

export { isMap, isScalar, isSeq };
