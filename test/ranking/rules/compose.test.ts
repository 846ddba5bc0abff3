import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { bindConfiguration } from '../../../src/ranking/rules/bind-configuration.ts';
import type { CandidateStream } from '../../../src/ranking/rules/candidate-stream.ts';
import { type ComposedList, createComposer } from '../../../src/ranking/rules/compose.ts';
import { createMatchSets } from '../../../src/ranking/rules/match-sets.ts';
import type { Query } from '../../../src/ranking/rules/types.ts';
import { fc } from '../../support/properties.ts';
import { createChance } from './support/chance.ts';
import { judge } from './support/exact-solver.ts';
import {
  bestByEnumeration,
  type Case,
  cases,
  compareLists,
  eligible,
  has,
  keepsLimits,
  matches,
  metMinimums,
  naiveGreedy,
  placedOf,
  requestOf,
  slotsOf,
  weightOf,
} from './support/lists.ts';

const composer = createComposer();

const compose = (one: Case): ComposedList => composer.compose(requestOf(one));

const pickedOf = (list: ComposedList): number[] =>
  list.items.flatMap(({ itemIndex, injected }) => (injected ? [] : [itemIndex!]));

const simple = (rest: Partial<Case>): Case => ({
  products: [],
  size: 3,
  rules: [],
  preferences: [],
  injected: new Map(),
  excluded: [],
  known: 2,
  directAccess: false,
  ...rest,
});

const product = (brand: string, tags = '', enabled = true) => ({ brand, tags: [...tags], enabled });

const everything = cases({ products: 60, size: 12, mins: true, musts: true, preferences: 3, injected: true });

test('musts, maximums and diversity limits always hold, and no item appears twice', (t) => {
  fc.assert(
    fc.property(everything, (one) => {
      const list = compose(one);
      const picked = pickedOf(list);
      const all = [...placedOf(one), ...picked];
      t.is(new Set(all).size, all.length);
      t.true(picked.length <= slotsOf(one));
      t.true(picked.every((itemIndex) => eligible(one).includes(itemIndex)));
      t.true(keepsLimits(one, picked));
    }),
    { numRuns: 600 },
  );
});

test('injected items have their ranks, and the others fill the free ranks in order', (t) => {
  fc.assert(
    fc.property(everything, (one) => {
      const { items } = compose(one);
      for (const [rank, itemIndex] of one.injected) {
        const isPlaced = itemIndex === undefined || one.products[itemIndex].enabled;
        const there = items.find((item) => item.rank === rank);
        if (isPlaced) t.deepEqual([there?.itemIndex, there?.injected?.rank], [itemIndex, rank]);
      }
      t.true(items.every(({ rank }, k) => k === 0 || rank > items[k - 1].rank));
      const others = items.filter(({ injected }) => !injected);
      const order = others.map(({ itemIndex, weight }) => ({ itemIndex: itemIndex!, weight }));
      t.deepEqual(
        order,
        [...order].sort((a, b) => b.weight - a.weight || a.itemIndex - b.itemIndex),
      );
      for (const { itemIndex, weight } of order) t.is(weight, weightOf(one, one.products[itemIndex]));
    }),
    { numRuns: 700 },
  );
});

test('a list is never worse than a greedy one without minimums', (t) => {
  fc.assert(
    fc.property(everything, (one) => {
      t.true(compareLists(one, pickedOf(compose(one)), naiveGreedy(one)) >= 0);
    }),
    { numRuns: 1200, seed: 11 },
  );
});

test('without minimums a full list is as heavy and relevant as greedy choice from the whole catalogue', (t) => {
  const noMins = cases({ products: 400, size: 8, mins: false, musts: true, preferences: 3, injected: true });
  fc.assert(
    fc.property(noMins, (one) => {
      const greedy = judge(one, naiveGreedy(one));
      if (greedy.length < slotsOf(one)) return;
      const list = judge(one, pickedOf(compose(one)));
      t.is(list.length, greedy.length);
      t.true(list.weight >= greedy.weight);
      if (list.weight === greedy.weight) t.true(list.relevance >= greedy.relevance - 1e-9);
    }),
    { numRuns: 700 },
  );
});

test('with limits on one key only, a list has exactly the first items of the whole catalogue', (t) => {
  const noMins = cases({ products: 400, size: 8, mins: false, musts: true, preferences: 3, injected: true });
  fc.assert(
    fc.property(noMins, fc.integer({ min: 1, max: 3 }), (one, max) => {
      const byBrand = { ...one, rules: [{ kind: 'diversify' as const, key: 'brand', max }] };
      const expected = naiveGreedy(byBrand);
      if (expected.length === slotsOf(byBrand)) t.deepEqual(pickedOf(compose(byBrand)), expected);
    }),
    { numRuns: 500 },
  );
});

test('the reported counts agree with the list', (t) => {
  fc.assert(
    fc.property(everything, (one) => {
      const list = compose(one);
      const all = [...placedOf(one), ...pickedOf(list)].map((itemIndex) => one.products[itemIndex]);
      const unmet = one.rules.flatMap((rule, ruleIndex) => {
        if (rule.kind !== 'constraint') return [];
        const got = all.filter((candidate) => matches(rule.query, candidate)).length;
        t.is(list.rules[ruleIndex].counted, got);
        return rule.min !== undefined && got < rule.min ? [{ ruleIndex, wanted: rule.min, got }] : [];
      });
      const reported = list.unmet.map(({ reason, ...rest }) => (reason ? rest : undefined));
      t.deepEqual(reported, unmet);
    }),
    { numRuns: 500 },
  );
});

/** Share of cases in which a list equals the best of all lists. */
function shareOfBest(limits: Parameters<typeof cases>[0], runs: number): { best: number; feasible: number } {
  const sample = fc.sample(cases(limits), { numRuns: runs, seed: 7 });
  let [best, met, feasible] = [0, 0, 0];
  for (const one of sample) {
    const picked = pickedOf(compose(one));
    const ideal = bestByEnumeration(one);
    if (compareLists(one, picked, ideal) >= 0) best += 1;
    if (metMinimums(one, ideal).includes(false)) continue;
    feasible += 1;
    if (!metMinimums(one, picked).includes(false)) met += 1;
  }
  return { best: best / sample.length, feasible: met / feasible };
}

test('minimums that can be met together are met', (t) => {
  const share = shareOfBest(
    { products: 12, size: 5, mins: true, musts: false, preferences: 1, injected: true },
    1500,
  );
  t.deepEqual(share, { best: 1, feasible: 1 });
});

test("an item without a model's score can meet a minimum", (t) => {
  const products = Array.from({ length: 3000 }, (_, i) => product(i === 2500 ? 'b' : 'a'));
  const rules = [{ kind: 'constraint' as const, query: has('brand', 'b'), min: 1 }];
  for (const directAccess of [true, false]) {
    const list = compose(simple({ products, rules, directAccess }));
    t.deepEqual(pickedOf(list), [0, 1, 2500]);
    t.is(list.candidateCount < 100, directAccess);
  }
});

test('a minimum that no item can meet does not read the whole catalogue', (t) => {
  const products = Array.from({ length: 5000 }, (_, i) => product(i % 2 ? 'a' : 'b'));
  const rules = [
    { kind: 'constraint' as const, query: has('brand', 'b'), min: 3 },
    { kind: 'diversify' as const, key: 'brand', max: 1 },
  ];
  const list = compose(simple({ products, rules, size: 2, directAccess: true }));
  t.deepEqual(pickedOf(list), [0, 1]);
  t.deepEqual(list.unmet, [
    { ruleIndex: 0, wanted: 3, got: 1, reason: { kind: 'list_too_short', slots: 2 } },
  ]);
  t.true(list.candidateCount < 100);
});

test('a preference for recent items finds them anywhere in the catalogue, at any time', (t) => {
  const hourMs = 3_600_000;
  const recent: Query = {
    key: 'publication_datetime',
    tests: [{ operator: 'gt', operands: [{ value: 'now-1h' }], quantifier: 'any', negated: false }],
  };
  const catalog = createCatalog({ itemTypes: ['article'], properties: [] });
  const publishedMs = Date.UTC(2024, 0, 1, 0, 0, 30);
  for (let i = 0; i < 2000; i++) {
    const agoMs = i === 1500 ? 0 : i === 1700 ? 20_000 : 5 * hourMs;
    const document = { publication_datetime: new Date(publishedMs - agoMs).toISOString() };
    catalog.apply({ itemType: 'article', itemId: String(i), document, enabled: true, revision: 1 });
  }
  const matchSets = createMatchSets({ catalog, maxBytes: 100_000 });
  const items = Array.from({ length: catalog.itemCount }, (_, itemIndex) => itemIndex);
  const itemsAt = (nowMs: number) => {
    let known = 5;
    const preferences = [{ query: recent, weight: 1 }];
    const context = { catalog, matchSets, variables: () => undefined, nowMs };
    const bound = bindConfiguration({ configurationId: 'c', rules: [], preferences }, context);
    if (bound.outcome !== 'bound') throw new Error(bound.outcome);
    const stream: CandidateStream = {
      items,
      get count() {
        return known;
      },
      more() {
        if (known === items.length) return false;
        known = items.length;
        return true;
      },
      positionOf: (itemIndex) => itemIndex,
    };
    const request = { ...bound, catalog, nowMs, size: 2, stream };
    return composer.compose(request).items.map(({ itemIndex }) => itemIndex);
  };
  t.deepEqual(itemsAt(publishedMs + hourMs - 25_000), [1500, 1700]);
  t.deepEqual(itemsAt(publishedMs + hourMs - 15_000), [1500, 0]);
  t.deepEqual(itemsAt(publishedMs + hourMs + 1000), [0, 1]);
});

test('an item of a used-up value does not make composing read the whole catalogue', (t) => {
  const products = Array.from({ length: 5000 }, (_, i) => product(i % 2 ? 'a' : 'b'));
  const rules = [{ kind: 'constraint' as const, query: has('brand', 'a'), max: 1 }];
  const preferences = [{ query: has('brand', 'a'), weight: 1 }];
  const list = compose(simple({ products, rules, preferences, directAccess: true }));
  t.deepEqual(pickedOf(list), [1, 0, 2]);
  t.true(list.candidateCount < 100);
});

test('injected items count towards a quota and may exceed it; then no item is added', (t) => {
  const products = [product('a'), product('a'), product('a'), product('b')];
  const rules = [{ kind: 'constraint' as const, query: has('brand', 'a'), max: 1 }];
  const injected = new Map([
    [1, 0],
    [4, 1],
  ]);
  const { items } = compose(simple({ products, rules, injected, size: 4 }));
  t.deepEqual(
    items.map(({ rank, itemIndex }) => [rank, itemIndex]),
    [
      [1, 0],
      [2, 3],
      [4, 1],
    ],
  );
});

test('an unknown injected item is placed, a disabled one is dropped', (t) => {
  const products = [product('a'), product('b', '', false)];
  const injected = new Map([
    [1, undefined],
    [2, 1],
  ]);
  const { items } = compose(simple({ products, injected, size: 3 }));
  t.deepEqual(
    items.map(({ rank, itemIndex, injected: placed }) => [rank, itemIndex, placed !== undefined]),
    [
      [1, undefined, true],
      [2, 0, false],
    ],
  );
});

test('an exchange lengthens a list that two limits keep short', (t) => {
  const products = [product('a', 'xy'), product('b', 'x'), product('c', 'y')];
  const rules = [{ kind: 'diversify' as const, key: 'tags', max: 1 }];
  t.deepEqual(pickedOf(compose(simple({ products, rules, size: 2 }))), [1, 2]);
});

test('no other item fits into a list that limits keep short', (t) => {
  const chance = createChance(1);
  for (let round = 0; round < 20; round++) {
    const products = Array.from({ length: 300 }, () => {
      const tags = [...'pqrstuvxyz'].filter(() => chance.happens(0.25));
      return product('a', tags.join(''));
    });
    const max = chance.between(1, 8);
    const rules = [{ kind: 'diversify' as const, key: 'tags', max }];
    const picked = pickedOf(compose(simple({ products, rules, size: 130, directAccess: true })));
    const uses = (tag: string) => picked.filter((itemIndex) => products[itemIndex].tags.includes(tag)).length;
    const added = products.flatMap(({ tags }, itemIndex) =>
      picked.includes(itemIndex) || tags.some((tag) => uses(tag) >= max) ? [] : [itemIndex],
    );
    t.true(picked.length < 130);
    t.deepEqual(added, []);
  }
});

test('a key with fewer values than slots gives one item per value, without reading the whole catalogue', (t) => {
  const products = Array.from({ length: 20_000 }, (_, i) => product('abcd'[i % 4]));
  const rules = [{ kind: 'diversify' as const, key: 'brand', max: 1 }];
  const list = compose(simple({ products, rules, size: 10, directAccess: true }));
  t.deepEqual(pickedOf(list), [0, 1, 2, 3]);
  t.true(list.candidateCount < 200);
});

test('preferred items anywhere in the catalogue enter a list that limits keep short', (t) => {
  const products = Array.from({ length: 5000 }, (_, i) => product('abcd'[i % 4], i < 4900 ? '' : 'x'));
  const rules = [{ kind: 'diversify' as const, key: 'brand', max: 1 }];
  const preferences = [{ query: has('tags', 'x'), weight: 1 }];
  const list = compose(simple({ products, rules, preferences, size: 10, directAccess: true }));
  t.deepEqual(pickedOf(list), [4900, 4901, 4902, 4903]);
  t.is(list.gapBound, 0);
});

test('scores of the stream decide between lists of the same weight', (t) => {
  const products = [product('a', 'xy'), product('b', 'x'), product('c', 'y'), product('d')];
  const rules = [{ kind: 'diversify' as const, key: 'tags', max: 1 }];
  const one = simple({ products, rules, size: 2, known: 4 });
  const pickedWith = (scores: number[]) => {
    const request = requestOf(one);
    return pickedOf(composer.compose({ ...request, stream: { ...request.stream, scores } }));
  };
  t.deepEqual(pickedWith([1, 0.9, 0.8, 0.1]), [1, 2]);
  t.deepEqual(pickedWith([1, 0.2, 0.1, 0.05]), [0, 3]);
});

test('a rule reports how many candidates it matched and excluded', (t) => {
  const products = [product('a', 'x'), product('a'), product('b', 'x'), product('a', 'x'), product('b')];
  const rules = [
    { kind: 'constraint' as const, query: has('tags', 'x') },
    { kind: 'constraint' as const, query: has('brand', 'a'), max: 1 },
  ];
  const { rules: counts } = compose(simple({ products, rules }));
  t.deepEqual(counts, [
    { matched: 3, cut: 2, counted: 2 },
    { matched: 2, cut: 1, counted: 1 },
  ]);
});

test('a list of the first candidates is the best one and needs no search', (t) => {
  const products = Array.from({ length: 40 }, (_, place) => product(`brand ${place % 20}`));
  const list = compose(
    simple({ products, size: 10, rules: [{ kind: 'diversify', key: 'brand', max: 1 }], known: 40 }),
  );
  t.deepEqual(
    pickedOf(list),
    Array.from({ length: 10 }, (_, place) => place),
  );
  t.is(list.gapBound, 0);
  t.is(list.nodeCount, 0);
});
