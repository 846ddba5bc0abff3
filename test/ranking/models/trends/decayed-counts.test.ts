import test from 'ava';
import { createDecayedCounts } from '../../../../src/ranking/models/trends/decayed-counts.ts';

const halfLife = 3_600;

test('a count halves in each half-life', (t) => {
  const counts = createDecayedCounts(halfLife);
  counts.add(3, 1_000, 8);
  const at = (seconds: number) => [...counts.at(Int32Array.of(3, 4), seconds)];
  t.deepEqual(at(1_000), [8, 0]);
  t.deepEqual(at(1_000 + halfLife), [4, 0]);
  t.deepEqual(at(1_000 + 3 * halfLife), [1, 0]);
});

test('counts equal plain sums, for any order and span of events', (t) => {
  const counts = createDecayedCounts(halfLife);
  const events = Array.from({ length: 3_000 }, (_, i) => ({
    index: (i * 7) % 13,
    at: i * 900 - ((i * 31) % 5) * 1_000,
    weight: 1 + (i % 3),
  }));
  for (const { index, at, weight } of events) counts.add(index, at, weight);
  const now = 3_000 * 900;
  for (let index = 0; index < 13; index++) {
    const own = events.filter((event) => event.index === index);
    const expected = own.reduce((sum, { at, weight }) => sum + weight * 2 ** ((at - now) / halfLife), 0);
    t.true(Math.abs(counts.at(Int32Array.of(index), now)[0] - expected) < 1e-6 * expected, `item ${index}`);
  }
});
