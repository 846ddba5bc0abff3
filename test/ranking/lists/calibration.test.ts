import test from 'ava';
import { calibrate } from '../../../src/ranking/lists/calibration.ts';

/** Places 0 to 9 are cooking items with the highest scores, 10 to 19 sports items. */
const places = Int32Array.from({ length: 20 }, (_, place) => place);
const scoreOf = (place: number) => (place < 10 ? 1 - place / 100 : 0.5 - place / 100);
const categoryOf = (place: number) => (place < 10 ? 'Cooking' : 'Sports');
const head = { places, scoreOf, categoryOf };

const shares = new Map([
  ['Cooking', 0.5],
  ['Sports', 0.5],
]);

const sportsIn = (list: Int32Array, length: number) =>
  [...list.subarray(0, length)].filter((place) => place >= 10).length;

test('strength 0 keeps the order of the scores', (t) => {
  t.deepEqual([...calibrate(head, { shares, strength: 0 })], [...places]);
});

test('strength 1 gives the categories of a list the shares of the interests', (t) => {
  const list = calibrate(head, { shares, strength: 1 });
  t.is(sportsIn(list, 10), 5);
  t.is(sportsIn(list, 4), 2);
});

test('within a category the best come first, and every place occurs once', (t) => {
  const list = [...calibrate(head, { shares, strength: 0.6 })];
  const isSports = (place: number) => place >= 10;
  t.deepEqual(list.filter(isSports), [...places].filter(isSports));
  t.deepEqual(
    list.toSorted((a, b) => a - b),
    [...places],
  );
});

test('without interests or scores the order is unchanged', (t) => {
  t.is(calibrate(head, { shares: new Map(), strength: 1 }), places);
  t.is(calibrate({ ...head, scoreOf: () => 0 }, { shares, strength: 1 }), places);
});
