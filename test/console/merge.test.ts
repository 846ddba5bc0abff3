import test from 'ava';
import { mergeParts, partsOf } from '../../src/console/grammar/merge.ts';

const rule = (min: number) => ({ query: { key: 'in_stock', match: true }, limit: { min } });
const limit = { diversify: { key: 'brand' } };

const sidesOf = (...[base, mine, theirs]: Parameters<typeof partsOf>) =>
  Object.fromEntries(partsOf(base, mine, theirs).map(({ name, side }) => [name, side]));

test('a part that one side changed is taken from it; only parts that both changed are asked about', (t) => {
  const base = { constraints: [rule(1)], preferences: [], name: 'a', fatigue: { window_hours: 1 } };
  const mine = { constraints: [rule(2), limit], preferences: [], name: 'b', purpose: 'similar' };
  const theirs = { constraints: [rule(3)], preferences: [], name: 'b', fatigue: { window_hours: 2 } };
  t.deepEqual(sidesOf(base, mine, theirs), {
    name: 'theirs',
    purpose: 'mine',
    constraints: undefined,
    limits: 'mine',
    fatigue: undefined,
  });
  const merged = mergeParts(mine, theirs, (name) => ['purpose', 'limits'].includes(name));
  t.deepEqual(merged, { ...theirs, constraints: [rule(3), limit], purpose: 'similar' });
  t.deepEqual(
    mergeParts(mine, theirs, () => true),
    mine,
  );
  t.deepEqual(
    mergeParts(mine, theirs, () => false),
    theirs,
  );
});

test('members of search are parts of their own', (t) => {
  const pin = (rank: number) => ({ item_id: 'a', rank });
  const base = { search: { pins: [pin(1)], redirect: '/a' } };
  const mine = { search: { pins: [pin(2)], redirect: '/a' } };
  const theirs = { search: { pins: [pin(1)], redirect: '/b', places: 3 } };
  t.deepEqual(sidesOf(base, mine, theirs), {
    'search.pins': 'mine',
    'search.redirect': 'theirs',
    'search.places': 'theirs',
  });
  const merged = mergeParts(mine, theirs, (name) => name === 'search.pins');
  t.deepEqual(merged, { search: { pins: [pin(2)], redirect: '/b', places: 3 } });
  t.deepEqual(
    mergeParts({ search: {} }, {}, () => true),
    { search: {} },
  );
});
