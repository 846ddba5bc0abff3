import test from 'ava';
import { parseStored } from '../../../src/handlers/grammar/parse-stored.ts';
import { findMisfits } from '../../../src/ranking/rules/misfits.ts';

const properties = new Map([
  ['price', { type: 'number' as const }],
  ['brand', { type: 'string' as const }],
  ['colors', { type: 'string[]' as const }],
  ['released', { type: 'datetime' as const }],
  ['new', { type: 'boolean' as const }],
]);

const own = { variable: { name: 'gone', context: 'item', on_absent_drop: true } };

const cases: [query: object, reason: string | undefined][] = [
  [{ key: 'gone', match: 'relic' }, 'undeclared'],
  [{ key: 'brand', match: own }, 'undeclared'],
  [{ key: 'brand', match: { variable: { name: 'wanted' } } }, undefined],
  [{ key: 'title', contains: 'x' }, undefined],
  [{ key: 'item_attributes.gone', match: 'x' }, undefined],
  [{ key: 'price', match: 'cheap' }, 'other_type'],
  [{ key: 'price', match: { not: 'cheap' } }, 'other_type'],
  [{ key: 'price', or: ['cheap', 5] }, undefined],
  [{ key: 'price', range: { min: 1, max: 9 } }, undefined],
  [{ key: 'brand', range: { min: 1, max: 9 } }, 'other_type'],
  [{ key: 'brand', gt: 5 }, 'other_type'],
  [{ key: 'colors', contains: 're' }, undefined],
  [{ key: 'new', contains: 're' }, 'other_type'],
  [{ key: 'new', match: true }, undefined],
  [{ key: 'released', date_range: { min: 'now-7d' } }, undefined],
  [{ key: 'released', gte: 'now-7d' }, undefined],
  [{ key: 'price', date_range: { min: 'now-7d' } }, 'other_type'],
];

for (const [query, reason] of cases)
  test(`a condition ${JSON.stringify(query)} is ${reason ?? 'evaluated'}`, (t) => {
    const { rules } = parseStored({ constraints: [{ query: { key: 'brand', match: 'x' } }, { query }] });
    const expected = reason === undefined ? [] : [['/constraints/1', reason]];
    t.deepEqual(
      findMisfits(rules, properties).map((misfit) => [misfit.pointer, misfit.reason]),
      expected,
    );
    const { rules: preferring } = parseStored({ preferences: [{ query }] });
    t.is(findMisfits(preferring, properties).length, expected.length);
  });

test('a diversity limit on an undeclared key is a misfit', (t) => {
  const { rules } = parseStored({
    constraints: [{ diversify: { key: 'gone' } }, { diversify: { key: 'brand' } }],
  });
  t.deepEqual(findMisfits(rules, properties), [
    { pointer: '/constraints/0', key: 'gone', reason: 'undeclared' },
  ]);
});
