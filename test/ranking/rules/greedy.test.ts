/** The work of reserving: it visits the candidates of each need a few times. */

import test from 'ava';
import { createCandidateOrder } from '../../../src/ranking/rules/candidate-order.ts';
import { CandidatePool } from '../../../src/ranking/rules/candidate-pool.ts';
import { reserve } from '../../../src/ranking/rules/greedy.ts';
import { Selection } from '../../../src/ranking/rules/selection.ts';
import { has, requestOf } from './support/lists.ts';

class CountedSelection extends Selection {
  looks = 0;

  override isPicked(candidate: number): boolean {
    this.looks += 1;
    return super.isPicked(candidate);
  }

  override serves(candidate: number, need: number): boolean {
    this.looks += 1;
    return super.serves(candidate, need);
  }
}

/**
 * As many minimums as a configuration may have, of one item each, all of them of different
 * products.
 */
const needCount = 200;
const candidateCount = 400;

function reserved(slots: number): CountedSelection {
  const brandOf = (k: number) => `brand ${k % needCount}`;
  const request = requestOf({
    products: Array.from({ length: candidateCount }, (_, k) => ({
      brand: brandOf(k),
      tags: [],
      enabled: true,
    })),
    rules: Array.from({ length: needCount }, (_, k) => ({
      kind: 'constraint',
      query: has('brand', brandOf(k)),
      min: 1,
    })),
    preferences: [],
    size: slots,
    injected: new Map(),
    excluded: [],
    known: candidateCount,
    directAccess: true,
  });
  const pool = new CandidatePool();
  pool.begin(request);
  for (let k = 0; k < candidateCount; k++) pool.offer(k, k);
  const order = createCandidateOrder();
  order.sort(pool);
  const selection = new CountedSelection(pool);
  selection.begin(slots);
  reserve(selection, order);
  return selection;
}

test('needs without a slot left cost nothing', (t) => {
  const selection = reserved(10);
  t.is(selection.picks.length, 10);
  t.true(selection.looks <= 3 * candidateCount, `${selection.looks} looks`);
});

test('scarce slots take one pass for each degree of usefulness', (t) => {
  const selection = reserved(needCount - 1);
  t.is(selection.picks.length, needCount - 1);
  t.true(selection.looks <= 3 * candidateCount, `${selection.looks} looks`);
});
