/** Facets, picks, orders and pages of all results of a query, compared with a recount. */

import test from 'ava';
import type { FacetFilter, Refinement } from '../../../../src/ranking/search/search.ts';
import { fc } from '../../../support/properties.ts';
import { createWorld, type Item, type World } from '../support/world.ts';

const plain: Refinement = { facets: [], filters: [], offset: 0 };
const pick = (key: string, ...values: (string | number)[]): FacetFilter => ({ key, values, ranges: [] });

function refine(world: World, q: string, refinement: Partial<Refinement>, listSize = 100) {
  const { lists, refined } = world.search.search({
    q,
    nowMs: 0,
    listSize,
    refinement: { ...plain, ...refinement },
  });
  const ids = lists.flatMap(({ items }) => items.map(({ itemIndex }) => world.catalog.itemIdAt(itemIndex)));
  return { ids, ...refined! };
}

const countsOf = ({ facets }: ReturnType<typeof refine>, key: string) =>
  Object.fromEntries(
    facets.find((facet) => facet.key === key)!.values.map(({ value, count }) => [value, count]),
  );

const shop: Item[] = [
  { id: 'a', title: 'red shoes', brand: 'X', color: ['red'], price: 5, categories: ['Sport/Shoes'] },
  {
    id: 'b',
    title: 'blue shoes',
    brand: 'X',
    color: ['blue', 'red'],
    price: 10,
    categories: ['Sport/Shoes'],
  },
  { id: 'c', title: 'green shoes', brand: 'Y', color: ['green'], price: 50, categories: ['Sport', 'Sale'] },
  { id: 'd', title: 'shoes', brand: 'Y', price: 7, categories: ['Sport/Shoes', 'Sport/Walking'] },
  { id: 'e', title: 'red socks', brand: 'X', color: ['red'], price: 1 },
];

const byBrandAndColor = [
  { key: 'brand', limit: 10 },
  { key: 'color', limit: 10 },
];

test('counts cover items with all words or, if there are none, with some', (t) => {
  const world = createWorld(shop);
  const all = refine(world, 'green shoes', { facets: byBrandAndColor });
  t.is(all.totalSize, 1);
  t.deepEqual(countsOf(all, 'brand'), { Y: 1 });
  const some = refine(world, 'green socks', { facets: byBrandAndColor });
  t.deepEqual(some.ids.toSorted(), ['c', 'e']);
  t.is(some.totalSize, 2);
});

test('a query without words finds, counts and filters the items with that title', (t) => {
  const signs = ['X', 'Y', 'X'].map((brand, i) => ({ id: `s${i}`, title: i < 2 ? '!!!' : '???', brand }));
  const world = createWorld([...shop, ...signs]);
  const found = refine(world, '!!!', { facets: byBrandAndColor });
  t.deepEqual(found.ids, world.find('!!!'));
  t.is(found.totalSize, 2);
  t.deepEqual(countsOf(found, 'brand'), { X: 1, Y: 1 });
  t.deepEqual(refine(world, '!!!', { filters: [pick('brand', 'Y')] }).ids, ['s1']);
  t.is(refine(world, '…', { facets: byBrandAndColor }).totalSize, 0);
});

test('each facet is counted with the picks of the other facets only', (t) => {
  const world = createWorld(shop);
  const filters = [pick('brand', 'X'), pick('color', 'red')];
  const refined = refine(world, 'shoes', { facets: byBrandAndColor, filters });
  t.deepEqual(refined.ids.toSorted(), ['a', 'b']);
  t.deepEqual(countsOf(refined, 'brand'), { X: 2 });
  t.deepEqual(countsOf(refined, 'color'), { red: 2, blue: 1 });
});

test('a path counts for its ancestors, once per item', (t) => {
  const world = createWorld(shop);
  const refined = refine(world, 'shoes', { facets: [{ key: 'categories', limit: 10 }] });
  t.deepEqual(countsOf(refined, 'categories'), { Sport: 4, 'Sport/Shoes': 3, 'Sport/Walking': 1, Sale: 1 });
});

test('ranges begin with their bound and end before the next, and can be picked', (t) => {
  const world = createWorld(shop);
  const facets = [{ key: 'price', bounds: [5, 10], limit: 10 }];
  t.deepEqual(countsOf(refine(world, '', { facets }), 'price'), { '*-5': 1, '5-10': 2, '10-*': 2 });
  const filters = [{ key: 'price', values: ['5-10'], ranges: [{ minimum: 5, maximum: 10 }] }];
  const picked = refine(world, '', { facets, filters });
  t.deepEqual(picked.ids.toSorted(), ['a', 'd']);
  t.deepEqual(countsOf(picked, 'price'), { '*-5': 1, '5-10': 2, '10-*': 2 });
});

test('a time is filtered and picked in any offset', (t) => {
  const world = createWorld([
    { id: 'may', title: 'shoes', publication_datetime: '1960-05-01T12:00:00+02:00' },
    { id: 'same', title: 'shoes', publication_datetime: '1960-05-01T10:00:00Z' },
    { id: 'june', title: 'shoes', publication_datetime: '1960-06-01' },
    { id: 'never', title: 'shoes' },
  ]);
  const key = 'publication_datetime';
  const [may, june] = ['1960-05-01T10:00:00.000Z', '1960-06-01T00:00:00.000Z'];
  const filteredBy = (...values: string[]) => world.find('shoes', { filters: [{ field: key, values }] });
  t.deepEqual(filteredBy('1960-05-01T11:00:00+01:00').toSorted(), ['may', 'same']);
  t.deepEqual(filteredBy('1960-06-01', 'no moment'), ['june']);
  t.deepEqual(filteredBy('no moment'), []);
  const facets = [{ key, limit: 10 }];
  t.deepEqual(countsOf(refine(world, 'shoes', { facets }), key), { [may]: 2, [june]: 1 });
  t.deepEqual(refine(world, 'shoes', { filters: [pick(key, may)] }).ids.toSorted(), ['may', 'same']);
  const ranges = [{ key, bounds: [Date.parse(june)], limit: 10 }];
  t.deepEqual(
    refine(world, 'shoes', { facets: ranges }).facets[0].values.map(({ count }) => count),
    [2, 1],
  );
});

test('items are sorted by a key in both directions, those without a value last', (t) => {
  const world = createWorld([...shop, { id: 'f', title: 'shoes' }]);
  const by = (key: string, descending = false) =>
    refine(world, 'shoes', { orderBy: { key, descending } }).ids;
  t.deepEqual(by('price'), ['a', 'd', 'b', 'c', 'f']);
  t.deepEqual(by('price', true), ['c', 'b', 'd', 'a', 'f']);
  t.deepEqual(by('brand'), ['a', 'b', 'c', 'd', 'f']);
  t.deepEqual(by('brand', true), ['c', 'd', 'a', 'b', 'f']);
});

test('pages have every result once, even beyond the tiers', (t) => {
  const many = Array.from({ length: 2_500 }, (_, i) => ({
    id: `s${i}`,
    title: `shoes ${i % 7}`,
    price: i % 31,
  }));
  const world = createWorld(many);
  for (const orderBy of [undefined, { key: 'price', descending: true }]) {
    const ids: string[] = [];
    for (let offset = 0; offset < 2_600; offset += 700)
      ids.push(...refine(world, 'shoes', { orderBy, offset }, 700).ids);
    t.is(ids.length, 2_500);
    t.is(new Set(ids).size, 2_500);
  }
});

test('pages of the best have every result once, even with very popular items in lower tiers', (t) => {
  const items = Array.from({ length: 900 }, (_, i) => ({
    id: `s${i}`,
    title: `shoes ${'wide '.repeat(i % 3)}${i}`,
  }));
  const world = createWorld(items);
  const prior = (itemIndex: number) => (itemIndex % 7) / 7;
  const ids: string[] = [];
  for (const listSize of [100, 150, 50, 300, 250, 50]) {
    const refinement = { ...plain, offset: ids.length };
    const { lists } = world.search.search({ q: 'shoes', nowMs: 0, listSize, prior, refinement });
    ids.push(...lists[0].items.map(({ itemIndex }) => world.catalog.itemIdAt(itemIndex)));
  }
  t.is(ids.length, 900);
  t.is(new Set(ids).size, 900);
});

test('without picks the list is that of the search, limited to items with all words', (t) => {
  const world = createWorld(shop);
  t.deepEqual(refine(world, 'shoes', { facets: byBrandAndColor }).ids, world.find('shoes'));
});

const words = ['red', 'blue', 'shoes', 'socks'];
const arbitraryItem = fc.record({
  title: fc.subarray(words, { minLength: 1 }).map((chosen) => chosen.join(' ')),
  brand: fc.constantFrom('X', 'Y', undefined),
  color: fc.subarray(['red', 'blue', 'green']),
  price: fc.constantFrom(1, 5, 10, 20, undefined),
  categories: fc.subarray(['A', 'A/B', 'A/C', 'D']),
  enabled: fc.boolean(),
  group_id: fc.constantFrom('g', 'h', undefined),
});

test('counts agree with a recount in which a group counts once', (t) => {
  const arbitrary = fc.record({
    items: fc.array(arbitraryItem, { maxLength: 30 }),
    hasGroups: fc.boolean(),
    brands: fc.subarray(['X', 'Y']),
    colors: fc.subarray(['red', 'blue']),
  });
  fc.assert(
    fc.property(arbitrary, ({ items: drawn, hasGroups, brands, colors }) => {
      const items = drawn.map((item, i) => ({
        ...item,
        id: `i${i}`,
        group_id: hasGroups ? item.group_id : undefined,
      }));
      const world = createWorld(items);
      const filters = [
        ...(brands.length > 0 ? [pick('brand', ...brands)] : []),
        ...(colors.length > 0 ? [pick('color', ...colors)] : []),
      ];
      const found = items.filter(({ enabled, title }) => enabled && title.includes('shoes'));
      const hasBrand = ({ brand }: (typeof items)[number]) => brands.length === 0 || brands.includes(brand!);
      const hasColor = ({ color }: (typeof items)[number]) =>
        colors.length === 0 || color.some((one) => colors.includes(one));
      const tally = (kept: typeof items, valuesOf: (item: (typeof items)[number]) => unknown[]) => {
        const shown = new Map<string, Set<string>>();
        for (const item of kept)
          for (const value of valuesOf(item).map(String))
            shown.set(value, (shown.get(value) ?? new Set()).add(item.group_id ?? item.id));
        return Object.fromEntries(Array.from(shown, ([value, ones]) => [value, ones.size]));
      };
      const facets = [...byBrandAndColor, { key: 'price', limit: 10 }, { key: 'categories', limit: 10 }];
      const refined = refine(world, 'shoes', { facets, filters });
      t.deepEqual(
        countsOf(refined, 'brand'),
        tally(found.filter(hasColor), ({ brand }) => (brand ? [brand] : [])),
      );
      t.deepEqual(
        countsOf(refined, 'color'),
        tally(found.filter(hasBrand), ({ color }) => color),
      );
      const left = found.filter((item) => hasBrand(item) && hasColor(item));
      t.is(refined.totalSize, new Set(left.map(({ id, group_id: group }) => group ?? id)).size);
      t.is(refined.ids.length, refined.totalSize);
      t.deepEqual(
        countsOf(refined, 'price'),
        tally(left, ({ price }) => (price === undefined ? [] : [price])),
      );
      const withAbove = ({ categories }: (typeof items)[number]) => [
        ...new Set(categories.flatMap((path) => (path.includes('/') ? ['A', path] : [path]))),
      ];
      t.deepEqual(countsOf(refined, 'categories'), tally(left, withAbove));
    }),
    { numRuns: 60 },
  );
});
