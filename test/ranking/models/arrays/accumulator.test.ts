import test from 'ava';
import {
  type Accumulator,
  add,
  addEach,
  addRun,
  begin,
  createAccumulator,
  isTouched,
  liftAll,
  liftRun,
  reserve,
} from '../../../../src/ranking/models/arrays/accumulator.ts';
import { fc } from '../../../support/properties.ts';

test('sums belong to one round only', (t) => {
  const accumulator = createAccumulator(4);
  add(accumulator, 2, 1);
  add(accumulator, 2, 0.5);
  t.is(accumulator.scores[2], 1.5);
  begin(accumulator);
  t.false(isTouched(accumulator, 2));
  add(accumulator, 2, 3);
  t.is(accumulator.scores[2], 3);
  t.is(accumulator.touchedCount, 1);
});

test('the accumulator grows with the catalogue', (t) => {
  const accumulator = createAccumulator(1);
  begin(accumulator, 10);
  add(accumulator, 9, 2);
  t.true(isTouched(accumulator, 9));
  t.false(isTouched(accumulator, 8));
});

test('each round begins without sums', (t) => {
  const accumulator = createAccumulator(64);
  for (const count of [64, 3, 0, 40, 1]) {
    begin(accumulator);
    for (let index = 0; index < 64; index++) t.false(isTouched(accumulator, index));
    for (let index = 0; index < count; index++) add(accumulator, index, -1);
    t.is(accumulator.touchedCount, count);
  }
});

test('growing keeps the sums and adds none', (t) => {
  const accumulator = createAccumulator(2);
  add(accumulator, 1, 4);
  reserve(accumulator, 9);
  t.is(accumulator.scores[1], 4);
  t.false(isTouched(accumulator, 8));
  t.false(isTouched(accumulator, 1_000));
  add(accumulator, 8, 0);
  t.deepEqual([...accumulator.touched.subarray(0, accumulator.touchedCount)], [1, 8]);
});

test('adding a run of entries equals single additions', (t) => {
  const run = { items: Int32Array.of(3, 0, 1, 3), scores: Float32Array.of(1, 2, 4, 8) };
  const accumulator = createAccumulator(5);
  begin(accumulator);
  add(accumulator, 4, 1);
  addRun(accumulator, run, 0, 4, 0.5);
  t.deepEqual([...accumulator.touched.subarray(0, accumulator.touchedCount)], [4, 3, 0, 1]);
  t.deepEqual([...accumulator.scores], [1, 2, 0, 4.5, 1]);
});

test('runs and lists add bit by bit like single additions, with sums of 0 and below and on full arrays', (t) => {
  const [fast, plain] = [createAccumulator(6), createAccumulator(6)];
  const entries = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -3, max: 3 })));
  const byIndex = Float32Array.of(0, -0, 1e-45, 3, -3, 1 / 3);
  fc.assert(
    fc.property(entries, fc.constantFrom(0, -1, 0.1, 1e-44), (added, scale) => {
      begin(fast);
      begin(plain);
      const items = Int32Array.from(added, ([item]) => item);
      const scores = Float32Array.from(added, ([, score]) => score);
      addRun(fast, { items, scores }, 0, items.length, scale);
      addEach(fast, items, 0, items.length, { values: byIndex, scale });
      items.forEach((item, place) => void add(plain, item, scale * scores[place]));
      for (const item of items) add(plain, item, scale * byIndex[item]);
      /** 0 and -0 are the same. */
      const sumsOf = ({ scores: sums }: Accumulator) => Array.from(sums, (sum) => sum + 0);
      t.deepEqual(sumsOf(fast), sumsOf(plain));
      t.deepEqual(fast.touched.subarray(0, fast.touchedCount), plain.touched.subarray(0, plain.touchedCount));
    }),
  );
});

test('lifting changes existing sums and creates none', (t) => {
  const run = { items: Int32Array.of(0, 1), scores: Float32Array.of(1, 2) };
  const accumulator = createAccumulator(3);
  begin(accumulator);
  add(accumulator, 1, 1);
  liftRun(accumulator, run, 0, 2, 10);
  liftAll(accumulator, Float32Array.of(7, 5), 2);
  t.is(accumulator.touchedCount, 1);
  t.is(accumulator.scores[1], 1 + 20 + 10);
});

test('values by index are added to all sums within their length', (t) => {
  const accumulator = createAccumulator(4);
  begin(accumulator);
  add(accumulator, 1, 1);
  add(accumulator, 3, 1);
  liftAll(accumulator, Float32Array.of(9, 2, 9));
  t.deepEqual([accumulator.scores[1], accumulator.scores[3], accumulator.touchedCount], [3, 1, 2]);
});
