import test from 'ava';
import { createGains } from '../../../src/ranking/models/basket-gains.ts';

/** Cameras 0–19 and cards 20–39: card 20 + i belongs to camera i. Mugs 40–59 go with nothing. */
const itemCount = 60;
const categories = {
  keys: ['camera', 'card', 'mug'],
  ofItem: Int32Array.from({ length: itemCount }, (_, item) => Math.floor(item / 20)),
};

function groups(all: number[][]) {
  const ends = all.map((_, at) => all.slice(0, at + 1).flat().length);
  return { offsets: Int32Array.from([0, ...ends]), item: Int32Array.from(all.flat()) };
}

/** Gains from `item`, largest first. */
function gainsOf(item: number, orders: number[][], visits?: number[][]): [item: number, gain: number][] {
  const counts = new Map<number, number>();
  for (const one of orders.flat()) counts.set(one, (counts.get(one) ?? 0) + 1);
  const shareOf = (one: number) => (counts.get(one) ?? 0) / (orders.length + 100);
  const input = { orders: groups(orders), visits: visits && groups(visits), itemCount, categories };
  return [...createGains(input, shareOf)(item)].sort((a, b) => b[1] - a[1]);
}

/** Camera i with its own card, twice for the cameras 0–9 and once for 10–18; mugs in pairs of chance. */
const structured = Array.from({ length: 29 }, (_, at) => [
  at < 20 ? at % 10 : at - 10,
  20 + (at < 20 ? at % 10 : at - 10),
]);
const mugs = Array.from({ length: 40 }, (_, at) => [40 + (at % 20), 40 + ((at * 7 + 3) % 20)]).filter(
  ([a, b]) => a !== b,
);

test('where single orders repeat those of the category, one order of an item counts', (t) => {
  const [[first, gain], ...others] = gainsOf(15, [...structured, ...mugs]);
  t.is(first, 35);
  t.true(gain > 3 * others[0][1], `${gain} and ${others[0][1]}`);
});

test('where pairs are chance, one order of both counts for nothing', (t) => {
  const pairs = Array.from({ length: 400 }, (_, at) => [
    (at * 13) % 20,
    20 + ((at * 7 + Math.floor(at / 20)) % 20),
  ]);
  const gains = new Map(gainsOf(3, [...pairs, [3, 41]]));
  t.is(gains.get(41) ?? 0, 0);
});

test('a camera without an order takes the card that visitors of its page look at', (t) => {
  const visits = Array.from({ length: 80 }, (_, at) => (at < 8 ? [19, 31] : [at % 19, 20 + (at % 19)]));
  const orders = [...structured, ...structured.map(([camera, card]) => [camera, card]), ...mugs];
  t.is(gainsOf(19, orders, visits)[0][0], 31);
  t.true(gainsOf(19, orders).every(([item]) => item >= 20 && item < 40));
});

test('items of the same category get no gain from their category', (t) => {
  t.true(gainsOf(19, [...structured, ...mugs]).every(([item]) => item >= 20));
});
