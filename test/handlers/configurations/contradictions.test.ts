/** Rules that contradict each other, and rules that only seem to. */

import test from 'ava';
import { findContradictions } from '../../../src/handlers/configurations/contradictions.ts';
import type { ConstraintRule, Operand, Query, Rule, Scalar } from '../../../src/ranking/rules/types.ts';

const equals = (key: string, ...values: Scalar[]): Query =>
  equalsOperands(
    key,
    values.map((value) => ({ value })),
  );

const equalsOperands = (key: string, operands: Operand[]): Query => ({
  key,
  tests: [{ operator: 'equals', operands, quantifier: 'any', negated: false }],
});

const from = (key: string, min: number, max: number): Query => ({
  key,
  tests: [{ operator: 'range', min, max }],
});

const limit = (operator: 'gt' | 'lt', value: number): Query => ({
  key: 'price',
  tests: [{ operator, operands: [{ value }], quantifier: 'any', negated: false }],
});

const rule = (query: Query, limits: { min?: number; max?: number } = {}): ConstraintRule => ({
  kind: 'constraint',
  query,
  ...limits,
});

const diversify = (key: string, max: number): Rule => ({ kind: 'diversify', key, max });

const variable = (onAbsentDrop: boolean): Operand => ({
  variable: { name: 'wanted', context: 'request_body', onAbsentDrop },
});

/** Every key except colors has one value per item. */
const found = (rules: Rule[]) =>
  findContradictions({ rules, isSingle: (key) => key !== 'colors' }).map(
    ({ ruleIndex, otherIndex, isFatal }) => [ruleIndex, otherIndex, isFatal ? 'error' : 'warning'],
  );

const contradictions: [what: string, first: Rule, second: Rule, expected: 'error' | 'warning'][] = [
  ['two musts of different values', rule(equals('brand', 'a', 'b')), rule(equals('brand', 'c')), 'error'],
  ['two musts of different ranges', rule(from('price', 1, 5)), rule(from('price', 6, 9)), 'error'],
  ['two musts of different limits', rule(limit('gt', 9)), rule(limit('lt', 5)), 'error'],
  ['a must of a value outside another', rule(equals('price', 3)), rule(from('price', 4, 5)), 'error'],
  [
    'a minimum that a must excludes',
    rule(equals('brand', 'a'), { min: 1 }),
    rule(equals('brand', 'b')),
    'warning',
  ],
  [
    'a minimum above a maximum',
    rule(equals('brand', 'a'), { min: 3 }),
    rule(equals('brand', 'a'), { max: 2 }),
    'warning',
  ],
  [
    'a minimum above what diversity leaves',
    rule(equals('brand', 'a', 'b'), { min: 5 }),
    diversify('brand', 2),
    'warning',
  ],
];

for (const [what, first, second, expected] of contradictions) {
  test(`${what} is ${expected === 'error' ? 'an error' : 'a warning'}`, (t) => {
    t.deepEqual(found([first, second]), [[0, 1, expected]]);
  });
}

const compatible: [what: string, first: Rule, second: Rule][] = [
  ['musts that share a value', rule(equals('brand', 'a', 'b')), rule(equals('brand', 'b', 'c'))],
  ['musts on different keys', rule(equals('brand', 'a')), rule(equals('title', 'b'))],
  ['ranges that touch', rule(from('price', 1, 5)), rule(from('price', 5, 9))],
  ['musts on a key of several values', rule(equals('colors', 'a')), rule(equals('colors', 'b'))],
  [
    'categories, where one may be below the other',
    rule(equals('categories', 'a')),
    rule(equals('categories', 'a/b')),
  ],
  ['a variable', rule(equalsOperands('brand', [variable(false)])), rule(equals('brand', 'b'))],
  [
    'a rule that an absent variable drops',
    rule({
      key: 'brand',
      tests: [...equals('brand', 'a').tests, ...equalsOperands('brand', [variable(true)]).tests],
    }),
    rule(equals('brand', 'b')),
  ],
  [
    'a minimum within a maximum',
    rule(equals('brand', 'a'), { min: 2 }),
    rule(equals('brand', 'a'), { max: 2 }),
  ],
  ['a minimum within diversity', rule(equals('brand', 'a', 'b'), { min: 4 }), diversify('brand', 2)],
  ['a maximum beside another must', rule(equals('brand', 'a'), { max: 1 }), rule(equals('brand', 'b'))],
];

for (const [what, first, second] of compatible) {
  test(`no contradiction: ${what}`, (t) => {
    t.deepEqual(found([first, second]), []);
    t.deepEqual(found([second, first]), []);
  });
}

test('each rule reports one contradiction at most', (t) => {
  const musts = Array.from({ length: 200 }, (_, i) => rule(equals('brand', `b${i}`)));
  t.is(found(musts).length, 199);
});
