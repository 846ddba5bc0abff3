/** A request's vector beside the blend: its share of the score, and what explains it. */

import test from 'ava';
import { mixSimilar } from '../../../src/ranking/lists/mix-similar.ts';
import { createBlend, createScorer } from '../../../src/ranking/models/blend.ts';
import type { Model } from '../../../src/ranking/models/model.ts';
import { identityMapping } from '../models/world.ts';

const mapping = identityMapping(4);

/** Gives item 3 the best score of a blend, and item 2 half of it. */
const behaviour = (name: string): Model => ({
  name,
  role: 'proposes',
  accumulate(_, weight, accumulator) {
    for (const [item, score] of [
      [3, 1],
      [2, 0.5],
    ]) {
      accumulator.scores[item] += weight * score;
      if (accumulator.isSummed[item] === 0) accumulator.touched[accumulator.touchedCount++] = item;
      accumulator.isSummed[item] = 1;
    }
  },
  explain: () => [],
});

const similar = { items: [0, 1, 9], similarities: [0.8, 0.4, 0.1], liked: [2], named: [2] };

function listed(weight: number, models: Model[]) {
  const blend = createBlend({ mapping, models, weights: { behaviour: 1, vectors: 1 } });
  const scorer = createScorer({ itemCount: 4 });
  const count = scorer.score(mixSimilar(blend, { ...similar, weight }, 4), { recents: [], limit: 9 });
  return { items: [...scorer.items.subarray(0, count)], scorer };
}

test('the share of similarity decides what is first; items beyond the catalogue are left out', (t) => {
  t.deepEqual(listed(0.4, [behaviour('behaviour')]).items, [3, 0, 2, 1]);
  t.deepEqual(listed(0.6, [behaviour('behaviour')]).items, [0, 3, 1, 2]);
});

test('the vector of the request replaces those of the subject', (t) => {
  t.deepEqual(listed(0.4, [behaviour('vectors')]).items, [0, 1]);
});

test('explanations name the liked items', (t) => {
  const { scorer } = listed(0.5, [behaviour('behaviour')]);
  const { score, parts } = scorer.explain(0)!;
  t.is(score, 1);
  t.deepEqual(parts[0], {
    model: 'vector',
    weight: 1,
    score: 1,
    reasons: [{ seedItemIndex: 2, score: 1 }],
  });
});
