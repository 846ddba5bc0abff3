import test from 'ava';
import { createQuery, defaultSeedProfile, fillQuery, weighSeeds } from '../../../src/ranking/models/query.ts';
import { similarTime } from '../../../src/ranking/models/time-of-day.ts';

const hour = 3_600;
const day = 24 * hour;
/** 12:00 on a Wednesday, UTC. */
const noon = Date.UTC(2026, 0, 7, 12) / 1_000;

for (const [title, apart, expected] of [
  ['the same hour of the next day', day, 1],
  ['two and a half hours later', 2.5 * hour, Math.exp(-0.5)],
  ['half a day later', 12 * hour, Math.exp(-((12 / 2.5) ** 2) / 2)],
  ['the same hour on Saturday', 3 * day, 0.5],
  ['the same hour on the next Wednesday', 7 * day, 1],
] as const) {
  test(`${title} is similar by ${expected.toFixed(2)}, in both directions`, (t) => {
    t.true(Math.abs(similarTime(noon, noon + apart) - expected) < 1e-12);
    t.is(similarTime(noon + apart, noon), similarTime(noon, noon + apart));
  });
}

test('around midnight, the similarity is that of the distance', (t) => {
  const night = noon + 11.5 * hour;
  t.true(Math.abs(similarTime(night, night + hour) - similarTime(noon, noon + hour)) < 1e-12);
});

test('a profile with a time of day weighs interests of that time more', (t) => {
  const query = createQuery();
  const recents = [0, 1].map((sameTime, itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1, sameTime }));
  fillQuery(query, { recents }, { localOf: Int32Array.of(0, 1), itemIndexOf: Int32Array.of(0, 1) });
  const weightsWith = (timeOfDay: number) => {
    weighSeeds(query, { ...defaultSeedProfile, stepDecay: 1, timeOfDay });
    return [...query.seedWeight.subarray(0, 2)];
  };
  t.deepEqual(weightsWith(0), [0.5, 0.5]);
  t.deepEqual(
    weightsWith(3).map((weight) => weight.toFixed(3)),
    ['0.200', '0.800'],
  );
});
