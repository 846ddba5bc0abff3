/**
 * Repair alone, without the exact step, which would find the same list more slowly.
 */

import test from 'ava';
import { createCandidateOrder } from '../../../src/ranking/rules/candidate-order.ts';
import { CandidatePool } from '../../../src/ranking/rules/candidate-pool.ts';
import { Repair } from '../../../src/ranking/rules/repair.ts';
import { Selection } from '../../../src/ranking/rules/selection.ts';
import { has, requestOf } from './support/lists.ts';

/** The best candidates picked, whatever the minimums of one item each of some brands. */
function picked(brands: string[], slots: number, wanted: string[]) {
  const request = requestOf({
    products: brands.map((brand) => ({ brand, tags: [], enabled: true })),
    rules: wanted.map((brand) => ({ kind: 'constraint', query: has('brand', brand), min: 1 })),
    preferences: [],
    size: slots,
    injected: new Map(),
    excluded: [],
    known: brands.length,
    directAccess: true,
  });
  const pool = new CandidatePool();
  pool.begin(request);
  for (let k = 0; k < brands.length; k++) pool.offer(k, k);
  const order = createCandidateOrder();
  order.sort(pool);
  const selection = new Selection(pool);
  selection.begin(slots);
  for (let place = 0; place < slots; place++) selection.add(order.candidates.values[place]);
  const repair = new Repair(selection, order);
  repair.beginList(500);
  repair.begin();
  return {
    repair,
    selection,
    shortages: () => wanted.map((_, need) => selection.shortage(need)),
  };
}

test('a need that fell short is met by replacing a candidate that serves none', (t) => {
  const { repair, selection, shortages } = picked(['a', 'a', 'a', 'b'], 2, ['b']);
  t.deepEqual(shortages(), [1]);
  repair.meetNeeds();
  t.deepEqual(shortages(), [0]);
  t.is(selection.picks.length, 2);
});

test('an earlier need is met at the cost of a later one, and never the reverse', (t) => {
  const earlier = picked(['b', 'a'], 1, ['a', 'b']);
  t.deepEqual(earlier.shortages(), [1, 0]);
  earlier.repair.meetNeeds();
  t.deepEqual(earlier.shortages(), [0, 1]);
  const later = picked(['a', 'b'], 1, ['a', 'b']);
  later.repair.meetNeeds();
  t.deepEqual(later.shortages(), [0, 1]);
});
