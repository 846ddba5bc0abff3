import test from 'ava';
import { createChance } from '../../../../src/deployment/demo/random.ts';
import { add, begin, createAccumulator } from '../../../../src/ranking/models/arrays/accumulator.ts';
import { createDraw } from '../../../../src/ranking/models/arrays/draw.ts';
import { fc } from '../../../support/properties.ts';

const scoresArbitrary = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });

test('drawing gives the order of a full sort by score, then index, and then ends', (t) => {
  const accumulator = createAccumulator(60);
  const draw = createDraw(accumulator);
  fc.assert(
    fc.property(scoresArbitrary, (scores) => {
      begin(accumulator);
      for (let index = scores.length - 1; index >= 0; index--) add(accumulator, index, scores[index]);
      draw.begin();
      const drawn = scores.map(() => draw.next());
      t.deepEqual(
        drawn,
        [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b),
      );
      t.is(draw.next(), -1);
    }),
  );
});

test('a sum of minus infinity is never drawn', (t) => {
  const accumulator = createAccumulator(60);
  const draw = createDraw(accumulator);
  const lostArbitrary = fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(lostArbitrary, (scores) => {
      begin(accumulator);
      scores.forEach((score, index) => void add(accumulator, index, score ?? Number.NEGATIVE_INFINITY));
      draw.begin();
      const left = [...scores.keys()].filter((index) => scores[index] !== null);
      t.deepEqual(
        left.map(() => draw.next()),
        left.sort((a, b) => scores[b]! - scores[a]! || a - b),
      );
      t.is(draw.next(), -1);
    }),
  );
});

test('thousands of sums are drawn in order, including late ones', (t) => {
  const count = 5_000;
  const accumulator = createAccumulator(count);
  begin(accumulator);
  const chance = createChance('draw');
  const scores = Float32Array.from(
    { length: count },
    () => Math.round(40 * chance.fraction() ** 3) / 8 - 0.5,
  );
  for (let index = 0; index < count; index++) add(accumulator, index, scores[index]);
  const draw = createDraw(accumulator);
  draw.begin();
  const drawn = Array.from(scores, () => draw.next());
  t.deepEqual(
    drawn,
    [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b),
  );
  t.is(draw.next(), -1);
});
