import test from 'ava';
import { add, begin, createAccumulator, isTouched } from '../../../src/models/arrays/accumulator.ts';

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

test('stamps of a previous cycle of epochs are not mistaken for the current one', (t) => {
  const accumulator = createAccumulator(2);
  begin(accumulator);
  add(accumulator, 1, 1);
  accumulator.epoch = 0x7ffffffe;
  begin(accumulator);
  begin(accumulator);
  t.false(isTouched(accumulator, 1));
});
