/** Public test collections as items, queries and judgments. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createChance } from '../../../src/deployment/demo/random.ts';
import type { SearchCollection } from '../../../src/jobs/evaluation/search/collection.ts';
import type { Judged } from '../../../src/jobs/evaluation/search/ranking-measures.ts';
import { foldTitle } from '../../../src/ranking/search/search.ts';

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

function icecatProducts(folder: string): Record<string, unknown>[] {
  return readLines(folder, 'icecat', 'products.jsonl.gz').map((line) => JSON.parse(line));
}

/** Supplier and specifications are declared properties, as a shop would declare them. */
function icecatCollection(
  products: readonly Record<string, unknown>[],
  isSearched: (attribute: string) => boolean,
): Omit<SearchCollection, 'judged'> {
  return {
    items: products.map((product) => ({
      itemId: String(product.id),
      document: {
        title: product.title,
        description: product.short_description,
        language: 'en',
        brand: product.supplier,
        specifications: Object.keys(product)
          .filter((name) => name.startsWith('attr_t_') && isSearched(name))
          .map((name) => product[name]),
      },
    })),
    properties: [
      { name: 'brand', type: 'string', weight: 1 },
      { name: 'specifications', type: 'string[]', weight: 0.01 },
    ],
  };
}

/** Products of Icecat with the judgments of people. */
export function readIcecat(folder: string): SearchCollection {
  const judgments = readLines(folder, 'icecat', 'judgments.csv').slice(1);
  return {
    ...icecatCollection(icecatProducts(folder), () => true),
    judged: judgedOf(
      judgments.map((line) => {
        const [, query, id, grade] = /^"?(.*?)"?,(\d+),(\d+)$/.exec(line)!;
        return [query, id, Number(grade)];
      }),
    ),
  };
}

const typeNames = ['attr_t_product_type', 'attr_t_type'];
/** Products of a type, and of those with its name in the title, for the type to be something that people would ask for. */
const leastOfType = 5;
const leastNamed = 0.3;

/** Products of Icecat with queries by type, and by brand and type; judged by these attributes, which are not searched. */
export function readIcecatTypes(folder: string): SearchCollection {
  const products = icecatProducts(folder);
  const typeOf = (product: Record<string, unknown>): string =>
    String(typeNames.map((name) => product[name]).find((type) => type !== undefined) ?? '').toLowerCase();
  const byType = Map.groupBy(products, typeOf);
  const rows: [query: string, id: string, grade: number][] = [];
  for (const [type, ofType] of byType) {
    const named = ofType.filter(({ title }) => String(title).toLowerCase().includes(type)).length;
    if (!/^\p{L}{3}/u.test(type) || ofType.length < leastOfType || named < ofType.length * leastNamed)
      continue;
    for (const { id } of ofType) rows.push([type, String(id), 1]);
    for (const [brand, ofBrand] of Map.groupBy(ofType, ({ supplier }) => String(supplier).toLowerCase()))
      if (ofBrand.length >= leastOfType && ofBrand.length < ofType.length)
        for (const { id } of ofBrand) rows.push([`${brand} ${type}`, String(id), 1]);
  }
  return { ...icecatCollection(products, (name) => !typeNames.includes(name)), judged: judgedOf(rows) };
}

/** Abstracts with questions; where a text begins with its title that is not counted twice. */
export function readAbstracts(folder: string, name: 'cranfield' | 'med' | 'npl'): SearchCollection {
  const file = name === 'cranfield' ? 'docs.jsonl' : 'docs.jsonl.gz';
  const documents = readLines(folder, name, file).map((line) => JSON.parse(line));
  const queries = readLines(folder, name, 'queries.jsonl').map((line) => JSON.parse(line));
  const textById = new Map<string, string>(queries.map(({ id, text }) => [id, text]));
  return {
    items: documents.map(({ id, title = '', text }) => ({
      itemId: id,
      document: {
        title,
        description: text.startsWith(title) ? text.slice(title.length) : text,
        language: 'en',
      },
    })),
    properties: [],
    judged: judgedOf(
      readLines(folder, name, 'qrels.tsv').map((line) => {
        const [queryId, id, grade] = line.split('\t');
        return [textById.get(queryId)!, id, Number(grade)];
      }),
    ),
  };
}

const knownItems = 150;
const wordsRemembered = 6;

/** Queries for one known item of a collection, with some words of its text in their order. */
export function knownItemsOf(name: string, collection: SearchCollection): SearchCollection {
  const chance = createChance(`known items of ${name}`);
  const rows: [query: string, id: string, grade: number][] = [];
  while (rows.length < knownItems) {
    const { itemId, document } = chance.pick(collection.items);
    const words = foldTitle(`${document.title ?? ''} ${document.description ?? ''}`)
      .split(' ')
      .filter((word) => word.length > 3);
    const kept = words.filter(() => chance.happens((2 * wordsRemembered) / words.length));
    if (kept.length >= wordsRemembered) rows.push([kept.slice(0, wordsRemembered).join(' '), itemId, 1]);
  }
  return { ...collection, judged: judgedOf(rows) };
}

const leastInCategory = 3;

/** A grocer's types of products by the words of their category: `CHEESE` is what is filed under it, not crackers with cheese. */
export function readJourney(folder: string): SearchCollection {
  const types = new Map<string, { category: string; department: string; type: string }>();
  for (const line of readLines(folder, 'complete-journey', 'products.csv.gz').slice(1)) {
    const [, , department, , category, type] = line.split(',');
    if (type && category && category !== 'NA' && type !== 'NA')
      types.set(`${category}: ${type}`, { category, department, type });
  }
  const rows: [query: string, id: string, grade: number][] = [];
  for (const [category, filed] of Map.groupBy(types, ([, { category }]) => category)) {
    const words = category
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 3);
    for (const word of filed.length < leastInCategory ? [] : words)
      for (const [id] of filed) rows.push([word, id, 1]);
  }
  return {
    items: [...types].map(([itemId, { type, department }]) => ({
      itemId,
      document: { title: type, categories: [department], language: 'en' },
    })),
    properties: [],
    judged: judgedOf(rows),
  };
}

const stopWords = new Set('the of a an in to and is it no who what for on with my you'.split(' '));

/** Queries for films by two or three words of their titles, one of them a stop word: `dr who` is not any film with `dr`. */
export function readNames(folder: string): SearchCollection {
  const chance = createChance('names');
  const films = readLines(folder, 'movielens-latest-small', 'movies.csv')
    .slice(1)
    .map((line) => /^(\d+),"?(.*?)"?,[^,]*$/.exec(line)!)
    .map(([, id, title]) => ({ id, title, words: foldTitle(title.replace(/\(\d{4}\)/, '')).split(' ') }));
  const texts = films.map(({ words }) => ` ${words.join(' ')} `);
  const rows: [query: string, id: string, grade: number][] = [];
  for (const { words } of films) {
    const at = words.findIndex((word, i) => i > 0 && stopWords.has(word));
    if (at < 0 || words.length < 3 || !chance.happens(0.15)) continue;
    const query = words.slice(at - 1, at + chance.whole(1, 2)).join(' ');
    if (query.split(' ').every((word) => stopWords.has(word))) continue;
    texts.forEach((text, i) => {
      if (text.includes(` ${query} `)) rows.push([query, films[i].id, 1]);
    });
  }
  return {
    items: films.map(({ id, title }) => ({ itemId: id, document: { title, language: 'en' } })),
    properties: [],
    judged: judgedOf(rows),
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
