/** Results with configurations: each item has one place, for any number of results and any page. */
import test from 'ava';
import { parseDeployment } from '../../../../src/deployment/load-deployment.ts';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { createServingEnvironment } from '../../../../src/ranking/environment/serving-environment.ts';
import type { SearchConfiguration } from '../../../../src/ranking/rules/active-configuration.ts';
import type { Query } from '../../../../src/ranking/rules/types.ts';
import {
  createSteeredSearch,
  type Steerable,
} from '../../../../src/ranking/search/serving/steered-search.ts';
import { fc } from '../../../support/properties.ts';

const deployment = `
environments:
  - name: shop
    item_types:
      - { name: product, properties: [ { name: brand, type: string, filterable: true } ] }
`;
const brands = ['Aka', 'Bel', 'Cor', 'Dor'];
/** More than are arranged completely. */
const itemCount = 1_030;

function createShop(others: Record<string, Record<string, string>> = {}) {
  const settings = parseDeployment(deployment, 'test.yaml').environments.get('shop')!;
  const catalog = createCatalog({
    environment: 'shop',
    properties: [...settings.properties.values()],
    itemTypes: [...settings.itemTypes.keys()],
  });
  const environment = createServingEnvironment(settings, catalog);
  const add = (itemId: string, document: Record<string, string>) => {
    const row = { environment: 'shop', itemType: 'product', itemId, document };
    const itemIndex = catalog.apply({ ...row, enabled: true, revision: 1 });
    environment.searchIndex.apply(itemIndex, document);
  };
  for (let i = 0; i < itemCount; i++) add(`lamp-${i}`, { title: 'Desk lamp', brand: brands[i % 4] });
  for (let i = 0; i < 3; i++) add(`pin-${i}`, { title: 'Candle', brand: 'Eks' });
  for (const [itemId, document] of Object.entries(others)) add(itemId, document);
  while (environment.searchIndex.maintain());
  return environment;
}

const environment = createShop();
const nowMs = Date.now();

const brandIs = (brand: string): Query => ({
  key: 'brand',
  tests: [{ operator: 'equals', operands: [{ value: brand }], quantifier: 'any', negated: false }],
});

type Wanted = {
  pins: { itemId: string; rank: number }[];
  preferred?: string;
  most?: number;
  hidden: string[];
};

function configurationOf({ pins, preferred, most, hidden }: Wanted): SearchConfiguration {
  const when = { queries: [], categories: [], pageTypes: [], languages: [], audienceIds: [] };
  return {
    configurationId: 'all',
    version: 1,
    settings: { allowDuplicates: false, pins: [], hides: [] },
    rules: {
      configurationId: 'all',
      rules: most === undefined ? [] : [{ kind: 'diversify', key: 'brand', max: most }],
      preferences: preferred === undefined ? [] : [{ query: brandIs(preferred), weight: 1 }],
    },
    search: {
      environments: [],
      when,
      priority: 0,
      places: 10,
      pins,
      hides: hidden.map((itemId) => ({ itemId })),
      promotedContent: [],
    },
  };
}

function readPages(wanted: Wanted, pageSize: number, shop = environment): string[] {
  const configurations = [configurationOf(wanted)];
  const steer = createSteeredSearch({ configurations: () => configurations, isInAudience: () => false });
  const ids: string[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const refinement = { facets: [], filters: [], offset };
    const request: Steerable = { environment: 'shop', q: 'lamp', filters: [], refinement };
    const { result } = steer(request, shop, { q: 'lamp', nowMs, refinement, listSize: pageSize });
    const items = result.lists.flatMap((list) => list.items);
    for (const { itemIndex } of items) ids.push(shop.catalog.itemIdAt(itemIndex));
    if (items.length === 0) return ids;
  }
}

const someItem = fc.constantFrom(
  'lamp-0',
  'lamp-500',
  `lamp-${itemCount - 1}`,
  'pin-0',
  'pin-1',
  'pin-2',
  'nobody',
);

const someWish: fc.Arbitrary<Wanted> = fc.record({
  pins: fc
    .uniqueArray(fc.record({ itemId: someItem, rank: fc.integer({ min: 1, max: 60 }) }), {
      selector: ({ itemId }) => itemId,
      maxLength: 4,
    })
    .filter((pins) => new Set(pins.map(({ rank }) => rank)).size === pins.length),
  preferred: fc.option(fc.constantFrom(...brands), { nil: undefined }),
  most: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  hidden: fc.subarray(['lamp-1', 'lamp-700']),
});

test('pages have each result once, pins at their ranks, and lose no result', (t) => {
  const property = fc.property(someWish, fc.constantFrom(37, 100, 250), (wanted, pageSize) => {
    const ids = readPages(wanted, pageSize);
    const hidden = new Set(wanted.hidden);
    const pinned = wanted.pins.filter(({ itemId }) => itemId !== 'nobody');
    const expected = new Set([
      ...Array.from({ length: itemCount }, (_, i) => `lamp-${i}`).filter((id) => !hidden.has(id)),
      ...pinned.map(({ itemId }) => itemId),
    ]);
    const isWhole = ids.length === expected.size && ids.every((id) => expected.has(id));
    return (
      isWhole &&
      new Set(ids).size === ids.length &&
      pinned.every(({ itemId, rank }) => ids[rank - 1] === itemId)
    );
  });
  t.notThrows(() => fc.assert(property, { numRuns: 25 }));
});

test('diversity holds among the first places, followed by preferred items', (t) => {
  const ids = readPages({ pins: [], preferred: 'Cor', most: 2, hidden: [] }, 100);
  const brandOf = (id: string) => brands[Number(id.slice(5)) % 4];
  const first = ids.slice(0, 8).map(brandOf);
  for (const brand of brands) t.is(first.filter((one) => one === brand).length, 2);
  t.true(ids.slice(8, 200).every((id) => brandOf(id) === 'Cor'));
});

test('a pinned variant represents its group, and a group pinned twice appears once', (t) => {
  const variants = Object.fromEntries(
    ['red', 'blue', 'green'].map((id) => [id, { title: 'Desk lamp', group_id: 'g', brand: 'Aka' }]),
  );
  const pins = [
    { itemId: 'blue', rank: 2 },
    { itemId: 'green', rank: 1 },
  ];
  const ids = readPages({ pins, hidden: [] }, 250, createShop(variants));
  t.is(ids[1], 'blue');
  t.is(ids.length, itemCount + 1);
  t.deepEqual(
    ids.filter((id) => id in variants),
    ['blue'],
  );
});

test('values that a subject wants less of come last within a tier, unless the query names them', (t) => {
  const shop = createShop({ aka: { title: 'Desk lamp by Aka', brand: 'Aka' } });
  const steer = createSteeredSearch({ configurations: () => [], isInAudience: () => false });
  const lessOf = new Map([['brand', ['Aka']]]);
  const brandsOf = (q: string, more: Partial<Steerable> = {}) => {
    const request = { environment: 'shop', q, filters: [], lessOf, ...more };
    const { result, facts } = steer(request, shop, { q, nowMs, filters: request.filters, listSize: 900 });
    const found = result.lists.flatMap(({ items }) => items.map(({ itemIndex }) => itemIndex));
    const column = shop.catalog.column('brand')!;
    const isAka = found.map((itemIndex) => column.valuesAt(itemIndex).includes('Aka'));
    return { found, isAka, weights: found.map((itemIndex) => facts?.weightOf(itemIndex) ?? 0) };
  };
  const { isAka, weights } = brandsOf('desk lamp');
  const others = isAka.indexOf(true);
  t.true(others > 700 && isAka.slice(others).every(Boolean));
  t.deepEqual(weights, [...Array(others).fill(0), ...Array(900 - others).fill(-1)]);
  for (const q of ['desk lamp aka', 'desk lamp akka'])
    t.deepEqual(brandsOf(q).found, brandsOf(q, { lessOf: new Map() }).found, q);
  const filters = [{ field: 'brand', values: ['Aka'] }];
  t.deepEqual(brandsOf('lamp', { filters }).found, brandsOf('lamp', { filters, lessOf: new Map() }).found);
});
