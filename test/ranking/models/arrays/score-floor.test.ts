import test from 'ava';
import { add, begin, createAccumulator } from '../../../../src/ranking/models/arrays/accumulator.ts';
import { floorOfBest } from '../../../../src/ranking/models/arrays/score-floor.ts';
import { fc } from '../../../support/properties.ts';

/** The least float with all its digits. */
const leastNormal = 2 ** -126;
const scoresArbitrary = fc.array(fc.float({ min: -2, max: 50, noNaN: true }), { maxLength: 80 });

test('the wanted number of sums reaches the floor, plus at most those within an eighth below', (t) => {
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
        return t.true(positive.filter((score) => score >= leastNormal).length < wanted);
      }
      t.true(floor <= positive[wanted - 1]);
      /** Below it floats have fewer digits, and a step is more than an eighth. */
      if (positive[wanted - 1] >= leastNormal) t.true(floor >= positive[wanted - 1] * (8 / 9) * 0.999);
    }),
  );
});
