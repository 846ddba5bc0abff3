/** Public test collections as items, queries and judgments. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SearchCollection } from '../../src/evaluation/search/collection.ts';
import type { Judged } from '../../src/evaluation/search/ranking-measures.ts';

function readLines(folder: string, ...path: string[]): string[] {
  const bytes = readFileSync(join(folder, ...path));
  const text = path.at(-1)!.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString();
  return text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split(/\r?\n/);
}

function judgedOf(rows: Iterable<[query: string, id: string, grade: number]>): Judged[] {
  const byQuery = new Map<string, Map<string, number>>();
  for (const [query, id, grade] of rows) {
    if (!byQuery.has(query)) byQuery.set(query, new Map());
    byQuery.get(query)!.set(id, grade);
  }
  return [...byQuery].map(([query, grades]) => ({ query, grades }));
}

/** Products of Icecat: supplier and specifications are declared properties, as a shop would declare them. */
export function readIcecat(folder: string): SearchCollection {
  const products = readLines(folder, 'icecat', 'products.jsonl.gz').map((line) => JSON.parse(line));
  const specifications = (product: Record<string, unknown>): unknown[] =>
    Object.keys(product)
      .filter((name) => name.startsWith('attr_t_'))
      .map((name) => product[name]);
  const judgments = readLines(folder, 'icecat', 'judgments.csv').slice(1);
  return {
    items: products.map((product) => ({
      itemId: product.id,
      document: {
        title: product.title,
        description: product.short_description,
        language: 'en',
        brand: product.supplier,
        specifications: specifications(product),
      },
    })),
    properties: [
      { name: 'brand', type: 'string', weight: 1 },
      { name: 'specifications', type: 'string[]', weight: 0.01 },
    ],
    judged: judgedOf(
      judgments.map((line) => {
        const [, query, id, grade] = /^"?(.*?)"?,(\d+),(\d+)$/.exec(line)!;
        return [query, id, Number(grade)];
      }),
    ),
  };
}

/** Abstracts of aeronautics; the text of a document begins with its title, which is not counted twice. */
export function readCranfield(folder: string): SearchCollection {
  const documents = readLines(folder, 'cranfield', 'docs.jsonl').map((line) => JSON.parse(line));
  const queries = readLines(folder, 'cranfield', 'queries.jsonl').map((line) => JSON.parse(line));
  const textById = new Map<string, string>(queries.map(({ id, text }) => [id, text]));
  return {
    items: documents.map(({ id, title, text }) => ({
      itemId: id,
      document: {
        title,
        description: text.startsWith(title) ? text.slice(title.length) : text,
        language: 'en',
      },
    })),
    properties: [],
    judged: judgedOf(
      readLines(folder, 'cranfield', 'qrels.tsv').map((line) => {
        const [queryId, id, grade] = line.split('\t');
        return [textById.get(queryId)!, id, Number(grade)];
      }),
    ),
  };
}

export type Misspelling = { source: string; typed: string; meant: string };

export type MisspellingDataset = { frequencies: Map<string, number>; pairs: Misspelling[] };

/** Misspelt words with what was meant, and an English vocabulary with frequencies. */
export function readMisspellings(folder: string): MisspellingDataset {
  const rows = readLines(folder, 'symspell', 'frequency_dictionary_en_82_765.txt.gz');
  const pairs = readLines(folder, 'misspellings', 'pairs.tsv').slice(1);
  return {
    frequencies: new Map(
      rows.map((row) => {
        const [word, count] = row.split(' ');
        return [word, Number(count)];
      }),
    ),
    pairs: pairs.map((line) => {
      const [source, typed, meant] = line.toLowerCase().split('\t');
      return { source, typed, meant };
    }),
  };
}
