import test from 'ava';
import fc from 'fast-check';
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
