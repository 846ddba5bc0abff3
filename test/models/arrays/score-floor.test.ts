import test from 'ava';
import fc from 'fast-check';
import { add, begin, createAccumulator } from '../../../src/models/arrays/accumulator.ts';
import { floorOfBest } from '../../../src/models/arrays/score-floor.ts';

const scoresArbitrary = fc.array(fc.float({ min: -2, max: 50, noNaN: true }), { maxLength: 80 });

test('as many sums as wanted reach the floor, and no more than those within an eighth below the last of them', (t) => {
  const accumulator = createAccumulator(80);
  fc.assert(
    fc.property(scoresArbitrary, fc.integer({ min: 1, max: 40 }), (scores, wanted) => {
      begin(accumulator);
      scores.forEach((score, index) => {
        add(accumulator, index, score);
      });
      const floor = floorOfBest(accumulator, wanted);
      const positive = scores.filter((score) => score > 0).sort((a, b) => b - a);
      if (scores.length <= wanted) return t.is(floor, Number.NEGATIVE_INFINITY);
      if (floor === Number.NEGATIVE_INFINITY) {
        /** The smallest numbers of all share the step of zero. */
        return t.true(positive.filter((score) => score > 1e-37).length < wanted);
      }
      t.true(floor <= positive[wanted - 1]);
      t.true(floor >= positive[wanted - 1] * (8 / 9) * 0.999);
    }),
  );
});
