/** Properties that hold for every catalogue and every query. */
import test from 'ava';
import type { SearchIndex, SearchRequest } from '../../../src/ranking/search/search.ts';
import { fc } from '../../support/properties.ts';
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

test('an index built by writes answers like one built at once', (t) => {
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

/** A generated value. */
function finished<T>(slices: Generator<void, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

function snapshotOf({ search }: World): ArrayBuffer {
  const bytes = Buffer.concat(finished(search.snapshot()));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
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

const found = (world: World, q: string) => shape(world, q).map(([id, tier]) => `${id} ${tier}`);
const scores = (world: World, q: string) => shape(world, q).toSorted();

/** Fills an index with items that an earlier snapshot may know. */
function refill(items: readonly Item[], snapshot?: ArrayBuffer): World {
  const world = createWorld();
  if (snapshot) finished(world.search.restore(snapshot));
  for (const one of items) world.fill(one);
  finished(world.search.catchUp());
  return world;
}

test('an incomplete snapshot is refused, and the index stays empty', (t) => {
  const snapshot = snapshotOf(createWorld([{ id: 'a', title: 'red lamp' }]));
  for (const length of [0, 7, 8, 100, snapshot.byteLength - 8, snapshot.byteLength - 1]) {
    const world = createWorld();
    t.false(finished(world.search.restore(snapshot.slice(0, length))));
    t.deepEqual(world.find('lamp'), []);
  }
  const otherVersion = snapshot.slice(0);
  new Uint32Array(otherVersion)[0] += 1;
  t.false(finished(createWorld().search.restore(otherVersion)));
});

test('an index from a snapshot equals a built one, for any state of merging', (t) => {
  fc.assert(
    fc.property(catalogue, words, fc.nat(40), (items, q, mergedCount) => {
      const before = createWorld(items.slice(0, mergedCount));
      merge(before);
      for (const one of items.slice(mergedCount)) before.put(one);
      const after = refill(enabledOf(items), snapshotOf(before));
      t.is(after.search.analysedCount, 0);
      const built = refill(enabledOf(items));
      t.deepEqual(found(after, q).sort(), found(built, q).sort());
      t.deepEqual(after.complete(q, { limit: 100 }).sort(), built.complete(q, { limit: 100 }).sort());
      merge(after);
      t.deepEqual(scores(after, q), scores(built, q));
    }),
    { numRuns: 60 },
  );
});

/** A merge drops joined words after the last item with them is removed. */
const speaksOfCompounds = (q: string): boolean => /note|book/.test(q);

test('changes since a snapshot are found, and removed items are not', (t) => {
  fc.assert(
    fc.property(catalogue, catalogue, words, (then, changed, q) => {
      const before = createWorld(then);
      merge(before);
      const byId = new Map([...then, ...changed].map((one) => [one.id, one]));
      const now = enabledOf([...byId.values()]);
      const after = refill(now, snapshotOf(before));
      const built = refill(now);
      const again = refill(now, snapshotOf(after));
      t.deepEqual(after.complete(q, { limit: 100 }).sort(), built.complete(q, { limit: 100 }).sort());
      for (const restored of [after, again]) {
        if (!speaksOfCompounds(q)) t.deepEqual(found(restored, q).sort(), found(built, q).sort());
        merge(restored);
        t.deepEqual(found(restored, q).sort(), found(built, q).sort());
      }
    }),
    { numRuns: 60 },
  );
});

test('writes after a restart are found, including in completions', (t) => {
  const items = Array.from({ length: 30 }, (_, i): Item => ({ id: `i${i}`, title: `lamp number${i}` }));
  const before = createWorld(items);
  merge(before);
  const after = refill(items, snapshotOf(before));
  after.put({ id: 'i3', title: 'lantern' });
  after.disable('i4');
  t.deepEqual(after.complete('lan'), ['i3']);
  t.deepEqual(after.find('number3'), []);
  t.deepEqual(after.find('number4'), []);
  t.deepEqual(after.find('number5'), ['i5']);
  merge(after);
  t.deepEqual(after.complete('lan'), ['i3']);
  t.is(after.find('lamp').length, 28);
});

test('a snapshot with other field weights saves analysis, and postings are rebuilt', (t) => {
  const items = Array.from(
    { length: 30 },
    (_, i): Item => ({ id: `i${i}`, title: `lamp ${i}`, brand: 'red' }),
  );
  const before = createWorld(items, { brandWeight: 3 });
  merge(before);
  const after = refill(items, snapshotOf(before));
  const built = refill(items);
  t.is(after.search.analysedCount, 0);
  t.deepEqual(scores(after, 'red lamp 7'), scores(built, 'red lamp 7'));
});

test('a short list is a prefix of a long one', (t) => {
  const items = Array.from({ length: 60 }, (_, i): Item => ({ id: `i${i}`, title: `lamp number${i}` }));
  const world = createWorld(items);
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 60 }), fc.integer({ min: 1, max: 6 }), (liked, listSize) => {
      const taste = (itemIndex: number): number => liked[itemIndex] / 10;
      const long = tiersOf(world, 'lamp', { taste });
      t.deepEqual(tiersOf(world, 'lamp', { taste, listSize }), long.slice(0, listSize));
    }),
    { numRuns: 30 },
  );
});

test('earlier queries do not change the answers of an index', (t) => {
  const items = fc.sample(item, 70).map((one, i): Item => ({ id: `i${i}`, ...one }));
  const createIndex = () => {
    const world = createWorld(items.slice(0, 60));
    merge(world);
    for (const one of items.slice(60)) world.put(one);
    return world.search;
  };
  const used = createIndex();
  const requests = fc.record(
    {
      q: fc.oneof(words, fc.constantFrom('', 'lmap', 'redd desk', 'i7', 'bokk')),
      listSize: fc.integer({ min: 1, max: items.length }),
      groupBy: fc.constant(['color']),
      filters: fc.constantFrom([{ field: 'color', values: ['red'] }], [{ field: 'price', values: [1, 2] }]),
      liked: fc.array(fc.nat(9), { minLength: items.length, maxLength: items.length }),
      facetKey: fc.constantFrom('color', 'price'),
      offset: fc.nat(5),
    },
    { requiredKeys: ['q', 'listSize'] },
  );
  fc.assert(
    fc.property(requests, ({ liked, facetKey, offset = 0, groupBy, ...asked }) => {
      const taste = liked && ((itemIndex: number) => liked[itemIndex] / 10);
      const refinement = { facets: [{ key: facetKey ?? '', limit: 9 }], filters: [], offset };
      const lists = facetKey === undefined ? { groupBy } : { refinement };
      const { q, filters } = asked;
      const answer = (index: SearchIndex) => [
        index.search({ ...asked, ...lists, nowMs: 0, taste }),
        index.complete({ q, filters, nowMs: 0, limit: 9, fuzziness: 1, taste }),
      ];
      t.deepEqual(answer(used), answer(createIndex()));
    }),
    { numRuns: 40 },
  );
});
