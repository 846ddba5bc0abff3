import test from 'ava';
import fc from 'fast-check';
import { createChance } from '../../../src/deployment/demo/random.ts';
import { add, begin, createAccumulator } from '../../../src/models/arrays/accumulator.ts';
import { beginDraw, createDraw, drawBest } from '../../../src/models/arrays/draw.ts';

const scoresArbitrary = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });

test('drawing gives the order of a full sort by score, then index, and then nothing', (t) => {
  const accumulator = createAccumulator(60);
  const draw = createDraw();
  fc.assert(
    fc.property(scoresArbitrary, (scores) => {
      begin(accumulator);
      for (let index = scores.length - 1; index >= 0; index--) add(accumulator, index, scores[index]);
      beginDraw(draw, accumulator);
      const drawn = scores.map(() => drawBest(draw));
      t.deepEqual(
        drawn,
        [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b),
      );
      t.is(drawBest(draw), -1);
    }),
  );
});

test('thousands of sums are drawn in order, too, those that join late included', (t) => {
  const count = 5_000;
  const accumulator = createAccumulator(count);
  begin(accumulator);
  const chance = createChance('draw');
  const scores = Float32Array.from(
    { length: count },
    () => Math.round(40 * chance.fraction() ** 3) / 8 - 0.5,
  );
  for (let index = 0; index < count; index++) add(accumulator, index, scores[index]);
  const draw = createDraw();
  beginDraw(draw, accumulator);
  t.true(draw.size < count);
  const drawn = Array.from(scores, () => drawBest(draw));
  t.deepEqual(
    drawn,
    [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b),
  );
  t.is(drawBest(draw), -1);
});
