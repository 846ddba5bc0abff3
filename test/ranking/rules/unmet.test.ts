import test from 'ava';
import { createComposer } from '../../../src/ranking/rules/compose.ts';
import type { Rule } from '../../../src/ranking/rules/types.ts';
import type { UnmetReason } from '../../../src/ranking/rules/unmet.ts';
import { type Case, has, requestOf } from './support/lists.ts';

const composer = createComposer();

const product = (brand: string, tags = '', enabled = true) => ({ brand, tags: [...tags], enabled });

const min = (key: string, value: string, wanted: number): Rule => ({
  kind: 'constraint',
  query: has(key, value),
  min: wanted,
});

type Row = { name: string; rest: Partial<Case>; ruleIndex: number; reason: UnmetReason };

const rows: Row[] = [
  {
    name: 'too few items match in the catalogue; disabled ones do not count, injected ones do',
    rest: {
      products: [product('a'), product('b'), product('b', '', false), product('b')],
      rules: [min('brand', 'b', 4)],
      injected: new Map([[1, 3]]),
      size: 4,
    },
    ruleIndex: 0,
    reason: { kind: 'too_few_in_catalogue', servable: 2 },
  },
  {
    name: 'enough items match, but some are excluded for this request',
    rest: {
      products: [product('a'), product('b'), product('b')],
      rules: [min('brand', 'b', 2)],
      excluded: [2],
    },
    ruleIndex: 0,
    reason: { kind: 'excluded_for_user', servable: 2, excluded: 1 },
  },
  {
    name: 'a must leaves too few of them',
    rest: {
      products: [product('a', 'x'), product('b', 'x'), product('b')],
      rules: [min('brand', 'b', 2), { kind: 'constraint', query: has('tags', 'x') }],
    },
    ruleIndex: 0,
    reason: { kind: 'in_conflict_with', ruleIndex: 1 },
  },
  {
    name: 'a max forbids so many of them',
    rest: {
      products: [product('b', 'x'), product('b', 'x'), product('a')],
      rules: [
        min('brand', 'b', 2),
        { kind: 'diversify', key: 'brand', max: 2 },
        { kind: 'constraint', query: has('tags', 'x'), max: 1 },
      ],
    },
    ruleIndex: 0,
    reason: { kind: 'in_conflict_with', ruleIndex: 2 },
  },
  {
    name: 'a diversity limit forbids so many of them',
    rest: {
      products: [product('b'), product('b'), product('a')],
      rules: [min('brand', 'b', 2), { kind: 'diversify', key: 'brand', max: 1 }],
    },
    ruleIndex: 0,
    reason: { kind: 'in_conflict_with', ruleIndex: 1 },
  },
  {
    name: 'an earlier minimum takes the places',
    rest: {
      products: [product('a'), product('a'), product('b'), product('b')],
      rules: [min('brand', 'a', 2), min('brand', 'b', 2)],
    },
    ruleIndex: 1,
    reason: { kind: 'in_conflict_with', ruleIndex: 0 },
  },
  {
    name: 'the list has too few places',
    rest: { products: Array.from({ length: 9 }, () => product('b')), rules: [min('brand', 'b', 5)] },
    ruleIndex: 0,
    reason: { kind: 'list_too_short', slots: 3 },
  },
];

for (const { name, rest, ruleIndex, reason } of rows) {
  test(`the reason of an unmet minimum: ${name}`, (t) => {
    const one: Case = {
      products: [],
      size: 3,
      rules: [],
      preferences: [],
      injected: new Map(),
      excluded: [],
      known: 2,
      directAccess: true,
      ...rest,
    };
    const { unmet } = composer.compose(requestOf(one));
    t.deepEqual(
      unmet.map((minimum) => [minimum.ruleIndex, minimum.reason]),
      [[ruleIndex, reason]],
    );
  });
}
