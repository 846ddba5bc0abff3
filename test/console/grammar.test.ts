/** Conditions as document, form and message. */

import test from 'ava';
import { QuerySchema } from '../../gen/es/personalisation/v1/configuration_pb.js';
import {
  fitsOneQuery,
  type Operator,
  printCondition,
  printRule,
  readCondition,
  readRule,
  type Test,
} from '../../src/console/grammar/document.ts';
import { conditionWords, ruleWords } from '../../src/console/grammar/words.ts';
import { decodeJson } from '../../src/formats/codec.ts';

type Joined = { isAll?: boolean; isNegated?: boolean };

const compare = (operator: Operator, values: (string | number)[], joined: Joined = {}): Test => ({
  kind: 'compare',
  operator,
  operands: values.map((value) => ({ value })),
  isAll: false,
  isNegated: false,
  ...joined,
});

test('a query holds three equality tests, each under its own property', (t) => {
  const tests = [
    compare('equals', ['a', 'b']),
    compare('equals', ['c'], { isNegated: true }),
    compare('equals', ['d', 'e'], { isAll: true }),
  ];
  const json = { key: 'tags', or: ['a', 'b'], match: { not: 'c' }, and: ['d', 'e'] };
  t.deepEqual(printCondition({ key: 'tags', tests }), json);
  t.deepEqual(printCondition(readCondition(json)), json);
  const { match, or, and } = decodeJson(QuerySchema, printCondition({ key: 'tags', tests })).message;
  t.is(or.length, 2);
  t.is(and.length, 2);
  t.truthy(match?.not);
});

test('a variable of the history reads as a sentence', (t) => {
  const words = (variable: object, key = 'brand') =>
    conditionWords(
      readCondition({ key, match: { not: { variable: { name: key, context: 'history', ...variable } } } }),
    );
  t.is(
    words({ events: ['purchase'], days: 90 }, 'categories'),
    'categories is not a category that the visitor bought in the last 90 days',
  );
  t.is(
    words({ events: ['detail_pageview', 'checkpoint'] }),
    'brand is not a brand that the visitor viewed or met by checkpoint',
  );
  t.is(words({ disliked: true }, 'categories'), 'categories is not a category that the visitor dislikes');
  t.is(
    words({ days: 1, default: 'x' }),
    'brand is not a brand that the visitor met in the last 1 day (default x)',
  );
});

test('a single equality test is printed as match', (t) => {
  const printed = (joined: Joined) =>
    printCondition({ key: 'tags', tests: [compare('equals', ['a', 'b'], joined)] }).match;
  t.deepEqual(printed({}), ['a', 'b']);
  t.deepEqual(printed({ isAll: true }), { and: ['a', 'b'] });
  t.deepEqual(printed({ isNegated: true }), { not: { or: ['a', 'b'] } });
});

test('a query has no room for a second test of an operator', (t) => {
  t.true(fitsOneQuery([compare('gte', [1]), compare('lte', [9])]));
  t.false(fitsOneQuery([compare('gte', [1]), compare('gte', [9])]));
  const negated = { isNegated: true };
  t.false(fitsOneQuery([compare('equals', ['a'], negated), compare('equals', ['b'], negated)]));
  t.true(fitsOneQuery([compare('equals', ['a'], negated), compare('equals', ['b'])]));
});

test('a rule that is edited keeps its guarantee', (t) => {
  const guarantee = { guarantee_id: 'g', daily_impressions: 100 };
  const json = { query: { key: 'brand', match: 'Acme' }, limit: { min: 1 }, guarantee };
  t.deepEqual(printRule({ ...readRule(json), note: 'launch' }), {
    ...json,
    _constraint_explanation: 'launch',
  });
});

test('groups that are never together are read and printed', (t) => {
  const json = {
    never_together: [
      { key: 'brand', match: 'a' },
      { key: 'brand', match: 'b' },
    ],
  };
  t.deepEqual(printRule(readRule(json)), json);
  t.is(ruleWords(readRule(json)), 'Never together: brand is a · brand is b');
});
