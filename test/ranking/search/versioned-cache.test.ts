/** Caches of searches: results equal those of an index without caches. */
import test from 'ava';
import type { SearchRequest } from '../../../src/ranking/search/query/search-request.ts';
import { createVersionedCache } from '../../../src/ranking/search/versioned-cache.ts';
import { fc } from '../../support/properties.ts';
import { createWorld, type Item, merge, type World } from './support/world.ts';

const colors = ['red', 'green'];
const words = ['red', 'lamp', 'desk', 'usb', 'lake', 'late'];
const moment = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
const itemNumber = fc.nat(5);

const put = fc.record({
  kind: fc.constant('put' as const),
  item: itemNumber,
  title: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((all) => all.join(' ')),
  color: fc.constantFrom(...colors),
  group: fc.option(fc.constantFrom('g', 'h'), { nil: undefined }),
  price: fc.nat(1),
  enabled: fc.boolean(),
  published: moment,
  expires: moment,
});
/** Searches do not read prices, so that only a filter sees a change. */
const reprice = fc.record({ kind: fc.constant('reprice' as const), item: itemNumber, price: fc.nat(1) });
const change = fc.record({
  kind: fc.constantFrom<'merge' | 'synonym' | 'usage'>('merge', 'synonym', 'usage'),
  word: fc.constantFrom(...words),
});
const ask = fc.record({
  q: fc.constantFrom('lamp', 'lage', 'usb desk'),
  /** Times of the query and its repetition. */
  seconds: fc.tuple(fc.nat(10), fc.nat(10)),
  narrowed: fc.constantFrom<Partial<SearchRequest>>(
    {},
    { groupBy: ['color'] },
    { filters: [{ field: 'color', values: ['red'] }] },
    { filters: [{ field: 'price', values: [1] }] },
    { refinement: { facets: [], filters: [], offset: 0 } },
    { refinement: { facets: [], filters: [{ key: 'price', values: [1], ranges: [] }], offset: 0 } },
  ),
  listSize: fc.constantFrom(1, 5),
  liked: itemNumber,
});
type Asked = typeof ask extends fc.Arbitrary<infer Step> ? Step : never;

const instant = (second: number | undefined) =>
  second === undefined ? undefined : new Date(second * 1_000).toISOString();

function answer({ search }: World, { q, narrowed, listSize, liked }: Asked, second: number) {
  const taste = (itemIndex: number) => Number(itemIndex === liked);
  return search.search({ q, nowMs: second * 1_000, ...narrowed, listSize, taste, prior: () => 0.5 });
}

/** Invalidates all earlier results. */
function forget({ put: write, disable }: World): void {
  write({ id: 'nobody', title: 'asked for' });
  disable('nobody');
}

/** The current document of an item. */
type Shop = { world: World; documents: Map<number, Item>; useWord(word: string): void };

function createShop(): Shop {
  let usage: ReadonlyMap<string, number> = new Map();
  const useWord = (word: string) => {
    usage = new Map([[word, 1_000]]);
  };
  return { world: createWorld([], { usage: () => usage }), documents: new Map(), useWord };
}

type Change = typeof put | typeof reprice | typeof change extends fc.Arbitrary<infer Step> ? Step : never;

function apply({ world, documents, useWord }: Shop, step: Change): void {
  if (step.kind === 'put' || step.kind === 'reprice') {
    documents.set(step.item, documentOf(step, documents.get(step.item)));
    world.put(documents.get(step.item)!);
  } else if (step.kind === 'merge') merge(world);
  else if (step.kind === 'usage') useWord(step.word);
  else world.search.synonyms.put('desk', { words: ['desk', step.word] });
}

function documentOf(step: Extract<Change, { item: number }>, before: Item | undefined): Item {
  if (step.kind === 'reprice') return { id: `i${step.item}`, title: 'lamp', ...before, price: step.price };
  const { kind: _, item, group, published, expires, ...document } = step;
  return {
    ...document,
    id: `i${item}`,
    group_id: group,
    publication_datetime: instant(published),
    expiration_datetime: instant(expires),
  };
}

test('cached results are used only while they are current', (t) => {
  const visit = fc.record({
    ask,
    other: ask,
    changes: fc.array(fc.oneof(put, reprice, change), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(visit, { minLength: 1, maxLength: 20, size: 'max' }), (visits) => {
      const shop = createShop();
      for (let item = 0; item < 6; item++) apply(shop, { kind: 'reprice', item, price: 0 });
      for (const { ask: asked, other, changes } of visits) {
        const [before, after] = asked.seconds;
        for (const one of [asked, other]) answer(shop.world, one, before);
        for (const one of changes) apply(shop, one);
        const known = answer(shop.world, asked, after);
        forget(shop.world);
        t.deepEqual(known, answer(shop.world, asked, after));
      }
    }),
    { numRuns: 200 },
  );
});

test('cached lists of many groups are current, too', (t) => {
  const lamp = (i: number, price: number): Item => ({ id: `i${i}`, title: `lamp ${i % 7}`, price });
  const world = createWorld(Array.from({ length: 600 }, (_, i) => lamp(i, i % 3)));
  const asked = { q: 'lamp', nowMs: 0, listSize: 100, listCount: 3, groupBy: ['price'] };
  const lists = () => world.search.search(asked).lists;
  for (const [i, price] of [
    [0, 1],
    [1, 2],
    [2, 0],
    [3, 1],
  ] as const) {
    const before = lists();
    t.deepEqual(lists(), before);
    world.put(lamp(i, price));
    const known = lists();
    t.notDeepEqual(known, before);
    forget(world);
    t.deepEqual(known, lists());
  }
});

test('the least recently used values and values larger than the cache are made anew', (t) => {
  const remembered = createVersionedCache<{ size: number }>(10_000, ({ size }) => size);
  let made: string[] = [];
  const ask = (key: string, size: number) =>
    remembered.get({ key, version: 1 }, () => {
      made.push(key);
      return { size };
    });
  for (const key of ['a', 'b', 'a', 'c', 'a']) ask(key, 4_000);
  t.deepEqual(made, ['a', 'b', 'c']);
  made = [];
  for (const key of ['b', 'large', 'large']) t.deepEqual(ask(key, 11_000), { size: 11_000 });
  t.deepEqual(made, ['b', 'large', 'large']);
});
