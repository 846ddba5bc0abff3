import test from 'ava';
import { calibrate, withoutBought } from '../../../src/ranking/models/calibration.ts';

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
  t.deepEqual([...calibrate(head, { shares, strength: 0, listSize: 10 })], [...places]);
});

test('strength 1 gives the categories of a list the shares of the interests', (t) => {
  for (const listSize of [10, 4]) {
    const list = calibrate(head, { shares, strength: 1, listSize });
    t.is(sportsIn(list, listSize), listSize / 2);
  }
});

test('the items of a list, or of ten places of a longer one, are in the order of their scores', (t) => {
  const list = [...calibrate(head, { shares, strength: 1, listSize: 100 })];
  t.deepEqual(list, [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 5, 6, 7, 8, 9, 15, 16, 17, 18, 19]);
});

test('within a category the best come first, and every place occurs once', (t) => {
  const list = [...calibrate(head, { shares, strength: 0.6, listSize: 10 })];
  const isSports = (place: number) => place >= 10;
  t.deepEqual(list.filter(isSports), [...places].filter(isSports));
  t.deepEqual(
    list.toSorted((a, b) => a - b),
    [...places],
  );
});

test('without interests or scores the order is unchanged', (t) => {
  t.is(calibrate(head, { shares: new Map(), strength: 1, listSize: 10 }), places);
  t.is(calibrate({ ...head, scoreOf: () => 0 }, { shares, strength: 1, listSize: 10 }), places);
});

test('a category is left after its purchase until the subject comes back to it', (t) => {
  const day = 86_400;
  const rhythmOf = (idleSeconds: number) => ({ idleSeconds, visits: 1, since: 1, spanSeconds: 0 });
  const recents = [2, 12].map((itemIndex, place) => ({
    ...{ itemIndex, ageSeconds: 0, weight: 1 },
    rhythm: rhythmOf((place + 1) * day),
  }));
  const sharesAfter = (...bought: [itemIndex: number, ageDays: number][]) => {
    const purchases = bought.map(([itemIndex, days]) => ({ itemIndex, ageSeconds: days * day }));
    return [...withoutBought(shares, { recents, bought: purchases }, categoryOf).keys()];
  };
  t.deepEqual(sharesAfter(), ['Cooking', 'Sports']);
  t.deepEqual(sharesAfter([12, 2]), ['Cooking']);
  t.deepEqual(sharesAfter([12, 1.5], [2, 3]), ['Cooking']);
  t.deepEqual(sharesAfter([13, 4], [2, 1]), ['Sports']);
});
