import test from 'ava';
import { createTally, estimate } from '../../../src/jobs/evaluation/metrics.ts';

const traits = { itemCount: 10, novelty: new Float32Array(10).fill(3), distance: () => 0.25 };

const measure = (lists: { list: number[]; answers: number[] }[]) => {
  const tally = createTally(traits);
  lists.forEach(({ list, answers }, subject) => {
    tally.add(subject, Int32Array.from(list), Int32Array.from(answers));
  });
  return tally.finish();
};

test('recall counts hits among the answers, the hit rate lists with a hit', (t) => {
  const { recall, hitrate } = measure([
    { list: [1, 2, 3], answers: [3, 9, 8, 7] },
    { list: [1], answers: [2] },
  ]);
  t.is(recall.mean, 1 / 8);
  t.is(hitrate.mean, 1 / 2);
});

test('the reciprocal rank is that of the first hit', (t) => {
  t.is(measure([{ list: [5, 4, 3, 2], answers: [2, 4] }]).mrr.mean, 1 / 2);
});

test('the gain is discounted by rank and divided by that of the best list', (t) => {
  const best = 1 + 1 / Math.log2(3);
  const { ndcg } = measure([{ list: [1, 2, 3], answers: [1, 3] }]);
  t.true(Math.abs(ndcg.mean - (1 + 1 / 2) / best) < 1e-12);
  t.is(measure([{ list: [3, 1], answers: [1, 3] }]).ndcg.mean, 1);
});

test('recall is split by known and new answers, over the questions that have such answers', (t) => {
  const tally = createTally(traits);
  const isMet = (item: number) => item < 5;
  tally.add(0, Int32Array.of(1, 2, 7), Int32Array.of(1, 4, 7), isMet);
  tally.add(1, Int32Array.of(1, 2, 7), Int32Array.of(8), isMet);
  const { recallAgain, recallNew, recall } = tally.finish();
  t.is(recallAgain?.mean, 1 / 2);
  t.is(recallNew?.mean, 1 / 2);
  t.is(recall.mean, 1 / 3);
  t.is(measure([{ list: [1], answers: [1] }]).recallAgain, undefined);
});

test('coverage is the share of recommended items, novelty and diversity are means', (t) => {
  const { coverage, novelty, diversity } = measure([
    { list: [0, 1], answers: [1] },
    { list: [1, 2], answers: [1] },
  ]);
  t.deepEqual([coverage, novelty.mean, diversity.mean], [0.3, 3, 0.25]);
});

test('the margin is 1.96 standard errors, and questions of one subject count as one observation', (t) => {
  const values = [1, 0, 1, 0];
  const { mean, margin } = estimate(values, [0, 1, 2, 3]);
  t.is(mean, 0.5);
  t.true(Math.abs(margin - 1.96 * Math.sqrt(0.25 / 4)) < 1e-12);
  t.true(estimate([1, 1, 0, 0], [0, 0, 1, 1]).margin > margin);
  t.deepEqual(estimate([], []), { mean: 0, margin: 0 });
});
