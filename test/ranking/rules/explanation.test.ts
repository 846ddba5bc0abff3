import test from 'ava';
import { createComposer } from '../../../src/ranking/rules/compose.ts';
import type { Rule } from '../../../src/ranking/rules/types.ts';
import { type Case, has, requestOf } from './support/lists.ts';

const product = (brand: string, tags = '', enabled = true) => ({ brand, tags: [...tags], enabled });

const products = [
  product('a', 'x'),
  product('a', 'x'),
  product('b', 'x'),
  product('c', 'xy', false),
  product('c', 'x'),
  product('d', 'x'),
  product('e'),
  product('d', 'xz'),
  product('b', 'xy'),
];

const rules: Rule[] = [
  { kind: 'constraint', query: has('tags', 'x') },
  { kind: 'diversify', key: 'brand', max: 1 },
  { kind: 'constraint', query: has('tags', 'y'), min: 1 },
];

const one: Case = {
  products,
  size: 3,
  rules,
  preferences: [
    { query: has('brand', 'c'), weight: 1 },
    { query: has('brand', 'a'), weight: 2 },
  ],
  injected: new Map(),
  excluded: [5],
  known: 3,
  directAccess: true,
};

const compose = (rest: Partial<Case> = {}, explain = true) =>
  createComposer().compose({ ...requestOf({ ...one, ...rest }), explain });

test('the facts name the rules that count an item and the preferences that moved it', (t) => {
  const { items, facts } = compose();
  t.deepEqual(
    items.map(({ itemIndex }) => itemIndex),
    [0, 4, 8],
  );
  t.deepEqual(facts!.items, [
    { rules: [0, 1], preferences: [1] },
    { rules: [0, 1], preferences: [0] },
    { rules: [0, 1, 2], preferences: [] },
  ]);
});

test('the facts explain why an item is missing', (t) => {
  const { whyNot } = compose().facts!;
  t.deepEqual(whyNot(0), { outcome: 'listed', rank: 1 });
  t.deepEqual(whyNot(3), { outcome: 'not_servable' });
  t.deepEqual(whyNot(5), { outcome: 'excluded' });
  t.deepEqual(whyNot(6), { outcome: 'must', ruleIndex: 0 });
  t.deepEqual(whyNot(1), { outcome: 'limit', ruleIndex: 1, value: 'a' });
  t.deepEqual(whyNot(7), { outcome: 'minimum', ruleIndex: 2 });
});

test('an item that no rule excludes was outscored, or was no candidate', (t) => {
  const many = Array.from({ length: 3000 }, () => product('a'));
  const { whyNot } = compose({ products: many, rules: [], preferences: [], excluded: [] }).facts!;
  const outscored = whyNot(4);
  t.like(outscored, { outcome: 'outscored', places: 2, weightLacked: 0 });
  t.true(outscored.outcome === 'outscored' && outscored.relevanceLacked > 0);
  t.deepEqual(whyNot(2500), { outcome: 'not_candidate' });
});

test('facts are made only on demand', (t) => {
  t.is(compose({}, false).facts, undefined);
});
