/** Reads a catalogue (NDJSON) and judgments (CSV or TSV); unpacks names ending in `.gz`. */

import type { PropertyType } from '../../../ranking/catalog/catalog.ts';
import type { SearchField } from '../../../ranking/search/search.ts';
import { readLines, splitFields } from '../readers/lines.ts';
import type { CollectionItem, SearchCollection } from './collection.ts';
import type { Judged } from './ranking-measures.ts';

export type CollectionFiles = {
  /** NDJSON with one API item per line. */
  catalogPath: string;
  judgmentsPath: string;
  properties: readonly SearchField[];
};

export async function readCollection(files: CollectionFiles): Promise<SearchCollection> {
  const { catalogPath, judgmentsPath, properties } = files;
  const items = await readItems(catalogPath);
  return {
    items,
    properties: properties.map((property) => ({ ...property, type: typeOf(property.name, items) })),
    judged: await readJudgments(judgmentsPath),
  };
}

/** Reads items; the last one with an ID wins. */
export async function readItems(path: string): Promise<CollectionItem[]> {
  const items = new Map<string, CollectionItem>();
  let line = 0;
  for await (const text of readLines(path)) {
    line += 1;
    const document = parseObject(text);
    const itemId = document?.item_id;
    if (!document || (typeof itemId !== 'string' && typeof itemId !== 'number'))
      throw new Error(`${path}, record ${line}: is not a JSON object with an item_id.`);
    items.set(String(itemId), { itemId: String(itemId), document });
  }
  if (items.size === 0) throw new Error(`${path}: has no items.`);
  return [...items.values()];
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Infers the property's type, as a deployment would declare it. */
function typeOf(name: string, items: readonly CollectionItem[]): PropertyType {
  const value = items.find(({ document }) => document[name] != null)?.document[name];
  if (Array.isArray(value)) return 'string[]';
  return typeof value === 'number' ? 'number' : 'string';
}

/** Accepted header names of the three columns. */
const columnNames = {
  query: ['query', 'q', 'keyword', 'search'],
  item: ['item_id', 'item', 'id', 'docid', 'doc_id', 'document_id', 'product_id'],
  grade: ['grade', 'rating', 'label', 'relevance', 'judgment', 'judgement', 'gain', 'score'],
};

/** Reads the columns query, item and grade: by header, else in this order. */
export async function readJudgments(path: string): Promise<Judged[]> {
  const delimiter = /\.tsv(\.gz)?$/.test(path) ? '\t' : ',';
  const byQuery = new Map<string, Map<string, number>>();
  let columns: [query: number, item: number, grade: number] | undefined;
  let line = 0;
  for await (const text of readLines(path)) {
    line += 1;
    const fields = splitFields(text, delimiter).map((field) => field.trim());
    if (!columns) {
      const named = findColumns(fields);
      columns = named ?? [0, 1, 2];
      if (named) continue;
    }
    const [query, itemId, grade] = columns.map((column) => fields[column] ?? '');
    if (query === '' || itemId === '' || grade === '' || Number.isNaN(Number(grade)))
      throw new Error(`${path}, record ${line}: is not a query, an item and a grade that is a number.`);
    const grades = byQuery.get(query) ?? new Map<string, number>();
    byQuery.set(query, grades.set(itemId, Number(grade)));
  }
  if (byQuery.size === 0) throw new Error(`${path}: has no judgments.`);
  return [...byQuery].map(([query, grades]) => ({ query, grades }));
}

function findColumns(header: readonly string[]): [number, number, number] | undefined {
  const find = (names: readonly string[]) => header.findIndex((name) => names.includes(name.toLowerCase()));
  const columns = [find(columnNames.query), find(columnNames.item), find(columnNames.grade)] as const;
  return columns.includes(-1) ? undefined : [...columns];
}
