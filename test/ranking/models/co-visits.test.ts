import test from 'ava';
import { coVisits } from '../../../src/ranking/models/co-visits.ts';
import { view, worldOf } from './world.ts';

const daySeconds = 86_400;

const train = (itemCount: number, events: [subject: string, item: number, time: number][], options = {}) => {
  const contents = Array.from({ length: itemCount }, () => ({}));
  const world = worldOf(
    contents,
    events.map(([subject, item, time]) => view(subject, item, time)),
  );
  return coVisits.train(world.interactions, options);
};

const row = ({ offsets, items }: ReturnType<typeof train>, item: number) => [
  ...items.subarray(offsets[item], offsets[item + 1]),
];

test('items further apart than the window are no pair', (t) => {
  const table = train(
    3,
    [
      ['u', 0, 0],
      ['u', 1, daySeconds],
      ['u', 2, 3 * daySeconds],
    ],
    { windowSeconds: daySeconds },
  );
  t.deepEqual([row(table, 0), row(table, 1), row(table, 2)], [[1], [0], []]);
});

test('a rare companion beats a popular one met equally often', (t) => {
  const crowd: [string, number, number][] = Array.from({ length: 20 }, (_, reader) => [`r${reader}`, 1, 0]);
  const table = train(3, [['u', 0, 0], ['u', 1, 1], ['u', 2, 2], ...crowd]);
  t.deepEqual(row(table, 0), [2, 1]);
});

test('the damped walk gives the scores of its formula', (t) => {
  const table = train(
    3,
    [
      ['u', 0, 0],
      ['u', 1, 1],
      ['v', 1, 0],
      ['v', 2, 1],
    ],
    { alpha: 1, beta: 0.5 },
  );
  // Unscaled: 0→1 = 1·½/√2, 1→0 = ½·½/1, 1→2 the same, 2→1 = 1·½/√2; the mean of the best is the unit.
  const [outer, inner] = [0.5 / Math.SQRT2, 0.25];
  const unit = (outer + inner + outer) / 3;
  const expected = [outer, inner, inner, outer].map((score) => score / unit);
  t.deepEqual([...table.items], [1, 0, 2, 1]);
  t.true(expected.every((score, place) => Math.abs(table.scores[place] - score) < 1e-6));
});

test('a row keeps the requested number of neighbours', (t) => {
  const events: [string, number, number][] = Array.from({ length: 9 }, (_, item) => ['u', item, item]);
  const table = train(9, events, { neighbourCount: 3 });
  t.deepEqual(row(table, 8), [0, 1, 2]);
  t.deepEqual(row(table, 0), [1, 2, 3]);
});
