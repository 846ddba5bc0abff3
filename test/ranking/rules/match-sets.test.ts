import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { bindQuery } from '../../../src/ranking/rules/bind.ts';
import { createMatchSets } from '../../../src/ranking/rules/match-sets.ts';
import type { Query } from '../../../src/ranking/rules/types.ts';
import { fc } from '../../support/properties.ts';

const tagged = (value: string, negated = false): Query => ({
  key: 'tags',
  tests: [{ operator: 'equals', operands: [{ value }], quantifier: 'any', negated }],
});

const recent: Query = {
  key: 'publication_datetime',
  tests: [{ operator: 'gt', operands: [{ value: 'now-1h' }], quantifier: 'any', negated: false }],
};

function createSubject({ changeCapacity = 64, maxBytes = 1_000_000 } = {}) {
  const catalog = createCatalog({ itemTypes: ['article'], properties: [], changeCapacity });
  const matchSets = createMatchSets({ catalog, maxBytes });
  let revision = 0;
  const write = (itemId: string, tags: string[]) => {
    revision += 1;
    catalog.apply({ itemType: 'article', itemId, document: { tags }, enabled: true, revision });
  };
  const bind = (query: Query, nowMs = 0) => {
    const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs });
    if (binding.outcome !== 'bound') throw new Error(binding.outcome);
    return binding.query;
  };
  return { catalog, matchSets, write, bind, get: (query: Query) => matchSets.get(bind(query)) };
}

test('after any writes a cached set agrees with a direct test of every item', (t) => {
  const tag = fc.constantFrom('a', 'b', 'c');
  const steps = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.nat(200), fc.uniqueArray(tag)) },
      { weight: 1, arbitrary: fc.record({ value: tag, negated: fc.boolean() }) },
    ),
    { minLength: 50, maxLength: 300 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const { catalog, write, bind, get } = createSubject();
      for (const step of all) {
        if (Array.isArray(step)) {
          write(String(step[0]), step[1]);
          continue;
        }
        const query = tagged(step.value, step.negated);
        const matches = bind(query).createMatcher();
        const set = get(query);
        let count = 0;
        for (let i = 0; i < catalog.itemCount; i++) {
          t.is(set.has(i), matches(i));
          count += Number(matches(i));
        }
        t.is(set.count, count);
      }
    }),
    { numRuns: 60 },
  );
});

test('a set catches up with the items that changed, without testing the others', (t) => {
  const { catalog, matchSets, write, bind } = createSubject();
  for (let i = 0; i < 40; i++) write(String(i), ['a']);
  const query = bind(tagged('a'));
  matchSets.get(query);
  write('3', ['b']);
  let tested = 0;
  const counting = {
    ...query,
    createMatcher: () => {
      const matches = query.createMatcher();
      return (itemIndex: number) => {
        tested += 1;
        return matches(itemIndex);
      };
    },
  };
  t.is(matchSets.get(counting).count, 39);
  t.is(tested, 1);
  t.false(matchSets.get(counting).has(catalog.indexOf('article', '3')!));
  t.is(tested, 1, 'nothing changed in between');
});

test('a set that lags too far behind is built again', (t) => {
  const { write, get } = createSubject({ changeCapacity: 4 });
  for (let i = 0; i < 10; i++) write(String(i), ['a']);
  t.is(get(tagged('a')).count, 10);
  for (let i = 0; i < 10; i++) write(String(i), i % 2 ? ['a'] : ['b']);
  t.is(get(tagged('a')).count, 5);
});

test('all sets together stay within their bytes', (t) => {
  const { matchSets, write, get } = createSubject({ maxBytes: 5000 });
  for (let i = 0; i < 500; i++) write(String(i), [`t${i}`]);
  for (let i = 0; i < 500; i++) t.is(get(tagged(`t${i}`)).count, 1);
  t.true(matchSets.bytes > 1000 && matchSets.bytes <= 5000);
  for (let i = 0; i < 5000; i++) write(String(i), ['t1']);
  t.is(get(tagged('t1')).count, 5000, 'a set that grew');
  t.true(matchSets.bytes <= 5000);
});

test('a condition that moves with the clock is exact at any time, and caches only a superset', (t) => {
  const { catalog, matchSets, bind } = createSubject();
  const document = { publication_datetime: '2024-01-01T00:00:30Z' };
  catalog.apply({ itemType: 'article', itemId: 'a', document, enabled: true, revision: 1 });
  const publishedMs = Date.UTC(2024, 0, 1, 0, 0, 30);
  const before = matchSets.get(bind(recent, publishedMs + 3_599_000));
  const after = matchSets.get(bind(recent, publishedMs + 3_601_000));
  t.deepEqual([before.has(0), after.has(0)], [true, false]);
  t.deepEqual([before.words?.[0], after.words?.[0]], [1, 1]);
  t.false(after.isExact);
  t.deepEqual(matchSets.get(bind(recent, publishedMs + 3_700_000)).words?.[0], 0, 'some minutes later');
});
