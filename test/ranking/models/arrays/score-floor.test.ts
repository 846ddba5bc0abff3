import test from 'ava';
import {
  add,
  begin,
  createAccumulator,
  isLed,
  liftAll,
} from '../../../../src/ranking/models/arrays/accumulator.ts';
import {
  ensureLeaders,
  floorOfBest,
  liftAndLead,
} from '../../../../src/ranking/models/arrays/score-floor.ts';
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

test('values are added to all sums, and the leaders are the best results', (t) => {
  const [lifted, led] = [createAccumulator(80), createAccumulator(80)];
  const values = Float32Array.from({ length: 40 }, (_, index) => (index % 5) - 1);
  fc.assert(
    fc.property(scoresArbitrary, fc.integer({ min: 1, max: 40 }), (scores, wanted) => {
      for (const accumulator of [lifted, led]) {
        begin(accumulator);
        t.false(isLed(accumulator));
        scores.forEach((score, index) => {
          add(accumulator, index, score);
        });
      }
      liftAll(lifted, values);
      ensureLeaders(lifted, wanted);
      liftAndLead(led, values, wanted);
      t.deepEqual(led.scores, lifted.scores);
      t.is(led.leaderFloor, lifted.leaderFloor);
      const leaders = [...led.leaders.subarray(0, led.leaderCount)];
      t.deepEqual(leaders, [...lifted.leaders.subarray(0, lifted.leaderCount)]);
      t.true(leaders.length >= Math.min(wanted, scores.length));
      for (let index = 0; index < scores.length; index++)
        t.is(leaders.includes(index), led.scores[index] >= led.leaderFloor);
    }),
  );
});

test('chosen leaders are kept until the sums are cleared', (t) => {
  const accumulator = createAccumulator(9);
  for (let index = 0; index < 9; index++) add(accumulator, index, index + 1);
  ensureLeaders(accumulator, 2);
  const count = accumulator.leaderCount;
  ensureLeaders(accumulator, 9);
  t.is(accumulator.leaderCount, count);
  begin(accumulator);
  t.false(isLed(accumulator));
});
