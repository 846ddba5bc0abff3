/** What must hold for every catalogue and every query. */
import test from 'ava';
import fc from 'fast-check';
import type { SearchRequest } from '../../src/search/search.ts';
import { createWorld, type Item, merge, type World } from './support/world.ts';

const vocabulary = [
  'red',
  'blue',
  'lamp',
  'lamps',
  'desk',
  'usb',
  'cable',
  '500gb',
  'note',
  'book',
  'notebook',
];
const words = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(' '));
const colors = fc.uniqueArray(fc.constantFrom('red', 'green', 'blue'), { maxLength: 3 });
const item = fc.record({
  title: words,
  description: words,
  color: colors,
  price: fc.integer({ min: 0, max: 3 }),
});
const catalogue = fc
  .array(fc.tuple(item, fc.boolean()), { minLength: 1, maxLength: 40 })
  .map((rows) =>
    rows.map(([row, enabled], i): Item => ({ id: `i${i}`, ...row, enabled: enabled || i === 0 })),
  );

const enabledOf = (items: readonly Item[]): Item[] => items.filter(({ enabled }) => enabled !== false);

/** Applies a random history that ends with these items: earlier versions, merges in between. */
function grow(items: readonly Item[], mergeEvery: number): World {
  const world = createWorld();
  items.forEach((one, i) => {
    world.put({ ...one, title: 'something else', enabled: true });
    if (i % mergeEvery === 0) merge(world);
  });
  for (const one of items) world.put(one);
  return world;
}

const byId = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1);

const tiersOf = ({ search, catalog }: World, q: string, request: Partial<SearchRequest> = {}) => {
  const { lists } = search.search({ q, nowMs: 0, listSize: 100, ...request });
  return (lists[0]?.items ?? []).map(
    ({ itemIndex, tier }) => [catalog.itemIdAt(itemIndex), tier] as [string, number],
  );
};

const shape = ({ search, catalog }: World, q: string) => {
  const { lists } = search.search({ q, nowMs: 0, listSize: 100 });
  return (lists[0]?.items ?? []).map((hit) => [catalog.itemIdAt(hit.itemIndex), hit.tier, hit.score]);
};

test('every enabled item is found by its exact title, in the first tier', (t) => {
  fc.assert(
    fc.property(catalogue, fc.boolean(), (items, merges) => {
      const world = createWorld(items);
      if (merges) merge(world);
      for (const { id, title } of enabledOf(items)) {
        const hits = shape(world, title as string);
        t.is(hits.find(([found]) => found === id)?.[1], 5);
      }
    }),
    { numRuns: 50 },
  );
});

test('a disabled item never appears', (t) => {
  fc.assert(
    fc.property(catalogue, words, (items, q) => {
      const { find, complete } = grow(items, 7);
      const enabled = new Set(enabledOf(items).map(({ id }) => id));
      for (const id of [...find(q), ...find(''), ...complete(q, { limit: 100 })]) t.true(enabled.has(id));
    }),
    { numRuns: 50 },
  );
});

test('an index that grew by writes answers like one that was built at once', (t) => {
  fc.assert(
    fc.property(catalogue, words, fc.integer({ min: 2, max: 9 }), (items, q, mergeEvery) => {
      const grown = grow(items, mergeEvery);
      const built = createWorld();
      for (const one of items) built.put({ ...one, enabled: true });
      for (const one of items) if (one.enabled === false) built.disable(one.id);
      merge(grown);
      merge(built);
      t.deepEqual(shape(grown, q), shape(built, q));
    }),
    { numRuns: 50 },
  );
});

test('before the merge the same items are found in the same tiers', (t) => {
  fc.assert(
    fc.property(catalogue, words, (items, q) => {
      const fresh = createWorld(items);
      const merged = createWorld(items);
      merge(merged);
      const found = (world: World) => shape(world, q).map(([id, tier]) => `${id} ${tier}`);
      t.deepEqual(found(fresh).sort(), found(merged).sort());
    }),
    { numRuns: 50 },
  );
});

function snapshotOf({ search }: World): ArrayBuffer {
  const taking = search.snapshot();
  let step = taking.next();
  while (!step.done) step = taking.next();
  return step.value;
}

/** Order within a tier may differ: feedback learns from the hits that the filter leaves. */
test('filters agree with a scan', (t) => {
  fc.assert(
    fc.property(catalogue, words, colors, fc.integer({ min: 0, max: 3 }), (items, q, wanted, price) => {
      const world = createWorld(items);
      const passes = (id: string): boolean => {
        const { color, price: itsPrice } = items.find((one) => one.id === id)!;
        return (color as string[]).some((one) => (wanted as string[]).includes(one)) && itsPrice === price;
      };
      const filters = [
        { field: 'color', values: wanted },
        { field: 'price', values: [price] },
      ];
      const found = tiersOf(world, q, { filters });
      const scanned = tiersOf(world, q).filter(([id]) => passes(id));
      t.deepEqual(found.toSorted(byId), scanned.toSorted(byId));
      t.deepEqual(
        found.map(([, tier]) => tier),
        scanned.map(([, tier]) => tier),
      );
    }),
    { numRuns: 50 },
  );
});

test('grouping agrees with a scan', (t) => {
  fc.assert(
    fc.property(catalogue, words, (items, q) => {
      const { search, find, catalog } = createWorld(items);
      const byId = new Map(items.map((one) => [one.id, one]));
      const { lists } = search.search({ q, nowMs: 0, listSize: 100, listCount: 10, groupBy: ['color'] });
      const ranked = find(q);
      const standsIn = (id: string, group: string): boolean => {
        const color = byId.get(id)!.color as string[];
        return group === 'other' ? color.length === 0 : color.includes(group.slice('color: '.length));
      };
      let bestRank = -1;
      for (const { name, items: hits } of lists) {
        const ids = hits.map(({ itemIndex }) => catalog.itemIdAt(itemIndex));
        t.deepEqual(
          ids,
          ranked.filter((id) => standsIn(id, name)),
        );
        t.true(ranked.indexOf(ids[0]) >= bestRank);
        bestRank = ranked.indexOf(ids[0]);
      }
      const grouped = new Set(lists.flatMap(({ items: hits }) => hits.map(({ itemIndex }) => itemIndex)));
      t.is(grouped.size, ranked.length);
    }),
    { numRuns: 50 },
  );
});

test('one-word and several-word completions agree with a scan', (t) => {
  const typed = fc.array(fc.constantFrom(...vocabulary, 'no', 'n', 'l', 'lam', 'c', 'x'), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(catalogue, typed, fc.boolean(), (items, asked, merges) => {
      const world = grow(items, 6);
      if (merges) merge(world);
      const holds = ({ title, color }: Item): boolean => {
        const bag = [...(title as string).split(' '), ...(color as string[])];
        const whole = asked.slice(0, -1).every((word) => bag.includes(word));
        return whole && bag.some((word) => word.startsWith(asked.at(-1)!));
      };
      const expected = enabledOf(items).filter(holds);
      t.deepEqual(
        world.complete(asked.join(' '), { limit: 100 }).sort(),
        expected.map(({ id }) => id).sort(),
      );
    }),
    { numRuns: 100 },
  );
});

test('a snapshot brings back what it held, and is refused when cut off', (t) => {
  fc.assert(
    fc.property(catalogue, words, (items, q) => {
      const before = createWorld(items);
      merge(before);
      const snapshot = snapshotOf(before);
      const after = createWorld();
      t.false(after.search.restore(snapshot.slice(0, snapshot.byteLength - 1)));
      t.true(after.search.restore(snapshot));
      for (const one of items) after.put(one);
      merge(after);
      const found = (world: World) => shape(world, q).map(([id, tier]) => `${id} ${tier}`);
      t.deepEqual(found(after).sort(), found(before).sort());
    }),
    { numRuns: 30 },
  );
});
