import test from 'ava';
import { overlapAt, rankBiasedOverlap } from '../../../src/jobs/evaluation/search/list-overlap.ts';

const near = (value: number) => Number(value.toFixed(4));

test('overlap counts common items among the first of both', (t) => {
  t.is(overlapAt(['a', 'b', 'c'], ['b', 'a', 'd'], 2), 1);
  t.is(near(overlapAt(['a', 'b', 'c'], ['b', 'a', 'd'], 3)), 0.6667);
  t.is(overlapAt(['a'], ['a', 'b'], 10), 0.5);
  t.is(overlapAt([], [], 10), 1);
  t.is(overlapAt(['a'], [], 10), 0);
});

test('rank-biased overlap weighs the first ranks most', (t) => {
  t.is(rankBiasedOverlap(['a', 'b'], ['a', 'b']), 1);
  t.is(rankBiasedOverlap(['a', 'b'], ['c', 'd']), 0);
  /** Agreement 0 at rank 1 and 1 at rank 2: 0.9 / 1.9. */
  t.is(near(rankBiasedOverlap(['a', 'b'], ['b', 'a'])), 0.4737);
  t.true(
    rankBiasedOverlap(['a', 'b', 'x'], ['a', 'b', 'y']) > rankBiasedOverlap(['x', 'a', 'b'], ['y', 'a', 'b']),
  );
});
