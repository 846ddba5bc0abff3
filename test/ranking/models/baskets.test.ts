import test from 'ava';
import { baskets } from '../../../src/ranking/models/baskets.ts';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import { basketProfile } from '../../../src/ranking/models/purposes.ts';
import { identityMapping } from './world.ts';

const itemCount = 40;

/** Forty orders of 10, 20 and 30, and sixty orders with 0 and 1; all other pairs occur once. */
function orders() {
  const together = Array.from({ length: 40 }, () => [10, 20, 30]);
  const others = Array.from({ length: 60 }, (_, order) => [0, 1, 2 + (order % 8), 31 + (order % 7)]);
  const all = [...together, ...others];
  const offsets = Int32Array.from([0, ...all.map((_, at) => all.slice(0, at + 1).flat().length)]);
  return { offsets, item: Int32Array.from(all.flat()) };
}

function complete(basket: number[]) {
  const mapping = identityMapping(itemCount);
  const model = baskets.serve(baskets.train({ orders: orders(), itemCount }, {}), mapping);
  const weights = { baskets: 1 };
  const blend = createBlend({ mapping, models: [model], weights, profiles: { baskets: basketProfile } });
  const scorer = createScorer({ itemCount });
  const recents = basket.map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 }));
  const admits = (item: number) => !basket.includes(item);
  const count = scorer.score(blend, { recents, limit: 10, admits });
  return { items: [...scorer.items.slice(0, count)], scores: [...scorer.scores.slice(0, count)] };
}

test('items of the same orders come before popular ones', (t) => {
  t.is(complete([10, 20]).items[0], 30);
  t.deepEqual(complete([20]).items.slice(0, 2).toSorted(), [10, 30]);
});

test('pairs that occur once do not count: the rest of the list is by popularity', (t) => {
  t.deepEqual(complete([10, 20]).items.slice(1, 3).toSorted(), [0, 1]);
  t.deepEqual(complete([5]).items.slice(0, 2).toSorted(), [0, 1]);
});

test('a third item in the basket does not lower the complements of the other two', (t) => {
  const { items, scores } = complete([10, 20]);
  const { items: withThird, scores: scoresWithThird } = complete([10, 20, 39]);
  t.is(withThird[0], items[0]);
  t.true(Math.abs(scoresWithThird[0] - scores[0]) < 1e-6);
});

test('an unknown basket gives the most bought items', (t) => {
  const { items, scores } = complete([]);
  t.deepEqual(items.slice(0, 2), [0, 1]);
  t.true(Math.abs(scores[0] - 60 / 200) < 1e-6);
});
