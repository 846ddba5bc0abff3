import test from 'ava';
import { createChance } from '../../../../src/deployment/demo/random.ts';
import { add, begin, createAccumulator } from '../../../../src/ranking/models/arrays/accumulator.ts';
import { beginDraw, createDraw, drawBest } from '../../../../src/ranking/models/arrays/draw.ts';
import { ensureLeaders } from '../../../../src/ranking/models/arrays/score-floor.ts';
import { fc } from '../../../support/properties.ts';

const scoresArbitrary = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });

test('drawing gives the order of a full sort by score, then index, and then ends', (t) => {
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

test('a sum of minus infinity is never drawn', (t) => {
  const accumulator = createAccumulator(60);
  const draw = createDraw();
  const lostArbitrary = fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(lostArbitrary, fc.integer({ min: 0, max: 60 }), (scores, wanted) => {
      begin(accumulator);
      scores.forEach((score, index) => void add(accumulator, index, score ?? Number.NEGATIVE_INFINITY));
      if (wanted > 0) ensureLeaders(accumulator, wanted);
      beginDraw(draw, accumulator);
      const left = [...scores.keys()].filter((index) => scores[index] !== null);
      t.deepEqual(
        left.map(() => drawBest(draw)),
        left.sort((a, b) => scores[b]! - scores[a]! || a - b),
      );
      t.is(drawBest(draw), -1);
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

test('the order is still that of all sums after leaders change and others are lowered', (t) => {
  const accumulator = createAccumulator(2_000);
  const draw = createDraw();
  const changesArbitrary = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 7 });
  const longArbitrary = fc.array(fc.integer({ min: -3, max: 300 }), { maxLength: 1_500 });
  fc.assert(
    fc.property(
      longArbitrary,
      fc.integer({ min: 1, max: 700 }),
      changesArbitrary,
      (scores, wanted, changes) => {
        begin(accumulator);
        scores.forEach((score, index) => {
          add(accumulator, index, score);
        });
        ensureLeaders(accumulator, wanted);
        const leaders = new Set(accumulator.leaders.subarray(0, accumulator.leaderCount));
        const changed = Float32Array.from(scores, (score, index) => {
          const change = changes[index % changes.length];
          return score + (leaders.has(index) ? change : Math.min(0, change));
        });
        changed.forEach((score, index) => {
          accumulator.scores[index] = score;
        });
        beginDraw(draw, accumulator);
        const drawn = scores.map(() => drawBest(draw));
        t.deepEqual(
          drawn,
          [...scores.keys()].sort((a, b) => changed[b] - changed[a] || a - b),
        );
        t.is(drawBest(draw), -1);
      },
    ),
    { numRuns: 60 },
  );
});
