import test from 'ava';
import { leadStream, rotate, rotationDepth } from '../../../src/ranking/lists/reordered-stream.ts';

const listSize = 20;
const rounds = 400;

const placesOf = (length: number) => Int32Array.from({ length }, (_, place) => place);

function rotated(length: number, rate: number, round: number): Int32Array {
  const places = placesOf(length);
  rotate(places, { rate, seed: `round ${round}` }, listSize);
  return places;
}

/** Number of exchanged items in all rounds. */
function changedIn(length: number, rate: number): number {
  let changed = 0;
  for (let round = 0; round < rounds; round++) {
    changed += rotated(length, rate, round)
      .subarray(0, listSize)
      .filter((place) => place >= listSize).length;
  }
  return changed;
}

for (const rate of [0.05, 0.2, 0.6, 0.9]) {
  test(`at rate ${rate} this share of a list is exchanged`, (t) => {
    const share = changedIn(listSize * rotationDepth, rate) / (rounds * listSize);
    t.true(Math.abs(share - rate) < 0.02, `${share}`);
  });
}

test('at rate 1 all items of a list are exchanged, and none returns', (t) => {
  t.is(changedIn(listSize * rotationDepth, 1), rounds * listSize);
});

test('with few items below the list, all of them move up, to any place', (t) => {
  t.is(changedIn(listSize + 3, 1), rounds * 3);
  const atPlaces = new Uint32Array(listSize);
  for (let round = 0; round < rounds; round++) {
    rotated(listSize + 3, 1, round).forEach((from, place) => {
      if (place < listSize && from >= listSize) atPlaces[place]++;
    });
  }
  const mean = (rounds * 3) / listSize;
  t.true(
    atPlaces.every((times) => times > mean / 2 && times < mean * 2),
    atPlaces.join(' '),
  );
  t.deepEqual(rotated(listSize, 1, 0), placesOf(listSize), 'nothing lies below');
});

test('places are exchanged without loss, and equally for equal seeds', (t) => {
  for (let round = 0; round < 50; round++) {
    const places = rotated(50, 0.7, round);
    t.deepEqual(places.slice().sort(), placesOf(50));
    t.deepEqual(rotated(50, 0.7, round), places);
  }
});

test('the rotated part is followed by the remaining items in order, read only on demand', (t) => {
  const items = Int32Array.from({ length: 20_000 }, (_, item) => item);
  let count = 15_000;
  const more = () => {
    const goesOn = count < items.length;
    count = items.length;
    return goesOn;
  };
  const source = {
    items,
    get count() {
      return count;
    },
    more,
  };
  const stream = leadStream(source, [7, 3]);
  t.true(stream.more!());
  t.true(stream.count < 5_000);
  while (stream.more!());
  t.deepEqual([...Array.from(stream.items).slice(0, stream.count)], [7, 3, ...items]);
});
