/**
 * `node test/bench/facets.ts [--items N]`: measures three facets of a search in process, on a generated catalogue: two by
 * value, one by range; for queries with a tenth and nearly all of the items, and without a query. The shortest of 20 runs.
 */

import { parseArgs } from 'node:util';
import { createCatalog } from '../../src/ranking/catalog/catalog.ts';
import { createSearchIndex, type SearchRequest } from '../../src/ranking/search/search.ts';

const { values } = parseArgs({ options: { items: { type: 'string', default: '100000' } } });
const itemCount = Number(values.items);
const runs = 20;

const properties = [
  { name: 'brand', type: 'string' as const },
  { name: 'price', type: 'number' as const },
];
const catalog = createCatalog({ properties, itemTypes: ['item'] });
const search = createSearchIndex({
  catalog,
  settings: { defaultLanguage: 'en', properties: [], synonyms: [] },
});

/** Numbers of a linear congruence, the same in every run. */
let state = 7;
const chance = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

function* documents() {
  for (let i = 0; i < itemCount; i++) {
    const document = {
      title: `${chance(10) === 0 ? 'rare' : 'plain'} thing number ${chance(5_000)}`,
      brand: `brand ${chance(300)}`,
      price: chance(10_000) / 100,
      categories: [`Shop/Part ${chance(20)}/Shelf ${chance(10)}`],
    };
    yield [
      catalog.apply({ itemType: 'item', itemId: `i${i}`, document, enabled: true, revision: 1 }),
      document,
    ] as const;
  }
}

for (const _ of search.load(documents()));
while (search.maintain());

const facets = [
  { key: 'brand', limit: 100 },
  { key: 'categories', limit: 100 },
  { key: 'price', bounds: [10, 25, 50], limit: 100 },
];
const picked = [{ key: 'brand', values: ['brand 1', 'brand 2'], ranges: [] }];
const refinements: Record<string, SearchRequest['refinement']> = {
  'no facets': undefined,
  'three facets': { facets, filters: [], offset: 0 },
  'three facets, a pick': { facets, filters: picked, offset: 0 },
  'by price': { facets: [], filters: [], orderBy: { key: 'price', descending: false }, offset: 0 },
};

for (const [name, q] of Object.entries({ 'a tenth': 'rare thing', 'nearly all': 'plain thing', all: '' })) {
  for (const [what, refinement] of Object.entries(refinements)) {
    let shortest = Number.POSITIVE_INFINITY;
    let total: number | undefined;
    for (let run = 0; run < runs; run++) {
      const startMs = performance.now();
      total = search.search({ q, nowMs: 1, listSize: 100, refinement }).refined?.totalSize;
      shortest = Math.min(shortest, performance.now() - startMs);
    }
    const found = total === undefined ? '' : ` of ${total}`;
    process.stdout.write(`${itemCount} items, ${name}, ${what}: ${shortest.toFixed(2)} ms${found}\n`);
  }
}
