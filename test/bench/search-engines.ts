/** The compared engines: search of this project, and MiniSearch with the same documents and fields. */

import MiniSearch from 'minisearch';
import { type Catalog, createCatalog } from '../../src/ranking/catalog/catalog.ts';
import { createSearchIndex } from '../../src/ranking/search/search.ts';
import type { SearchWorld } from './search-world.ts';

export type SearchEngine = {
  name: string;
  /** Positions of the best items. */
  search(q: string): number[];
  /** Undefined when the engine cannot do it. */
  searchBrands?: (q: string, brands: string[]) => number[];
  searchByBrand?: (q: string) => number[][];
  complete(q: string): number[];
  /** With two edits per word. */
  completeMisspelt?: (q: string) => number[];
  /** Empties the caches of results. */
  forget?: () => void;
};

const listSize = 10;
const slowestSliceMs = 5;

export type Built = {
  engine: SearchEngine;
  /** The longest slice of building, and the number of slices above 5 ms. */
  longestSliceMs: number;
  slowSlices: number;
};

const properties = [
  { name: 'brand', type: 'string' as const, weight: 1 },
  { name: 'category', type: 'string' as const, weight: 0.5 },
];

/** The index reads the texts; the catalogue keeps the fields for filters, groups and titles. */
export function buildOwnEngine(world: SearchWorld): Built {
  const catalog = createCatalog({ properties, itemTypes: ['item'] });
  const settings = { defaultLanguage: 'en', properties, synonyms: [] };
  const index = createSearchIndex({ catalog, settings });
  let longestSliceMs = 0;
  let slowSlices = 0;
  const loading = index.load(entriesOf(world, catalog));
  for (;;) {
    const startMs = performance.now();
    makingMs = 0;
    const { done } = loading.next();
    const elapsedMs = performance.now() - startMs - makingMs;
    longestSliceMs = Math.max(longestSliceMs, elapsedMs);
    slowSlices += Number(elapsedMs > slowestSliceMs);
    if (done) break;
  }
  const ask = { nowMs: 0, listSize };
  const items = (lists: { items: { itemIndex: number }[] }[]): number[][] =>
    lists.map((list) => list.items.map(({ itemIndex }) => itemIndex));
  const engine: SearchEngine = {
    name: 'this service',
    search: (q) => items(index.search({ q, ...ask }).lists)[0] ?? [],
    searchBrands: (q, brands) =>
      items(index.search({ q, ...ask, filters: [{ field: 'brand', values: brands }] }).lists)[0] ?? [],
    searchByBrand: (q) => items(index.search({ q, ...ask, groupBy: ['brand'] }).lists),
    complete: (q) => index.complete({ q, nowMs: 0, limit: listSize }).map(({ itemIndex }) => itemIndex),
    completeMisspelt: (q) =>
      index.complete({ q, nowMs: 0, limit: listSize, fuzziness: 2 }).map(({ itemIndex }) => itemIndex),
    forget: () => void index.synonyms.put('none', undefined),
  };
  return { engine, longestSliceMs, slowSlices };
}

/** Time spent on generating documents since the last reset, which is not part of indexing. */
let makingMs = 0;

function* entriesOf(world: SearchWorld, catalog: Catalog) {
  for (let index = 0; index < world.itemCount; index++) {
    const startMs = performance.now();
    const document = world.item(index);
    const { description: _, ...kept } = document;
    const row = { itemType: 'item', itemId: `i${index}`, document: kept, enabled: true, revision: 1 };
    const itemIndex = catalog.apply(row);
    makingMs += performance.now() - startMs;
    yield [itemIndex, document] as const;
  }
}

/** MiniSearch as its documentation recommends: titles have more weight, and completions use prefixes. */
export function buildMiniSearch(world: SearchWorld): Built {
  const mini = new MiniSearch<{ id: number }>({
    fields: ['title', 'description', 'brand', 'category'],
    searchOptions: { boost: { title: 2 } },
  });
  const startMs = performance.now();
  for (let id = 0; id < world.itemCount; id++) mini.add({ id, ...world.item(id) });
  const best = (hits: { id: number }[]): number[] => hits.slice(0, listSize).map(({ id }) => id);
  const engine: SearchEngine = {
    name: 'MiniSearch',
    search: (q) => best(mini.search(q)),
    complete: (q) =>
      best(
        mini.search(q, {
          fields: ['title'],
          prefix: (_, i, all) => i === all.length - 1,
          combineWith: 'AND',
        }),
      ),
  };
  return { engine, longestSliceMs: performance.now() - startMs, slowSlices: 1 };
}
