import test from 'ava';
import { changeWords } from '../../src/console/grammar/change-words.ts';
import type { JsonObject } from '../../src/console/grammar/document.ts';

const brand = (value: string, limit?: Record<string, number>): JsonObject => ({
  query: { key: 'brand', match: value },
  ...(limit && { limit }),
});

test('a changed amount names its rule once', (t) => {
  const before = { constraints: [brand('Footpath Press', { min: 2 }), brand('Kettle', { max: 3 })] };
  const after = { constraints: [brand('Footpath Press', { min: 4 }), brand('Kettle')] };
  t.deepEqual(changeWords(before, after), [
    'At least 2 → 4: brand is Footpath Press',
    'At most 3 → Must match: brand is Kettle',
  ]);
});

test('rules and preferences are added, removed and moved', (t) => {
  const [one, other] = [brand('A', { min: 1 }), brand('B', { min: 1 })];
  const wish = (weight: number) => ({ query: { key: 'tags', match: 'new' }, weight });
  t.deepEqual(changeWords({ constraints: [one] }, { constraints: [other] }), [
    'Removed: At least 1: brand is A',
    'Added: At least 1: brand is B',
  ]);
  t.deepEqual(changeWords({ constraints: [one, other] }, { constraints: [other, one] }), ['Order changed']);
  t.deepEqual(changeWords({ preferences: [wish(2)] }, { preferences: [wish(5)] }), [
    'Boost +2 → 5: tags is new',
  ]);
  const perCategory = (max: number) => ({
    constraints: [{ diversify: { key: 'categories' }, limit: { max } }],
  });
  t.deepEqual(changeWords(perCategory(2), perCategory(3)), ['At most 2 → 3 per category']);
  const noted = { ...one, _constraint_explanation: 'for spring' };
  t.deepEqual(changeWords({ constraints: [one] }, { constraints: [noted] }), [
    'Note changed: At least 1: brand is A',
  ]);
  t.deepEqual(changeWords({ constraints: [one, one] }, { constraints: [one] }), [
    'Removed: At least 1: brand is A',
  ]);
});

test('settings are named by their path', (t) => {
  const before = {
    freshness: { maximum_age_hours: 24 },
    purpose: 'similar',
    search: { pins: [{ rank: 1 }] },
  };
  const after = {
    freshness: { maximum_age_hours: 48 },
    environments: ['a', 'b'],
    search: { pins: [{ rank: 2 }] },
  };
  t.deepEqual(changeWords(before, after), [
    'freshness maximum age hours: 24 → 48',
    'Added: environments a, b',
    'search pins 1 rank: 1 → 2',
    'Removed: purpose',
  ]);
  t.deepEqual(changeWords(after, after), []);
});
