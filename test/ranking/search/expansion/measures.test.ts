/** Measures without an exact match. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

const items = [
  { id: '9500', title: 'Generator 9,500 watt' },
  { id: '2000', title: 'Generator 2000 watt of steel for camping' },
  { id: 'lamp', title: 'Lamp 10 watt' },
  { id: 'shelf-15', title: 'Shelf 15 in. white' },
  { id: 'shelf-30', title: 'Shelf 30 in. white' },
  { id: 'pipe-1.25', title: 'Copper pipe 1-1/4 in.' },
  { id: 'pipe-0.5', title: 'Copper pipe 1/2 in.' },
];

const rankings: [query: string, first: string, reason: string][] = [
  ['generator 10000 watt', '9500', 'the nearest measure of the unit'],
  ['16 in shelf', 'shelf-15', 'the nearest measure of the unit'],
  ['30 inch shelf', 'shelf-30', 'the measure itself'],
  ['1 1/4 copper pipe', 'pipe-1.25', 'a fraction as it is written elsewhere'],
  ['0.5 inch copper pipe', 'pipe-0.5', 'a decimal for a fraction'],
];

for (const [query, first, reason] of rankings) {
  test(`${query} finds ${first} first: ${reason}`, (t) => {
    const world = createWorld(items);
    t.is(world.find(query)[0], first);
    merge(world);
    t.is(world.find(query)[0], first);
  });
}

/** Two titles with one number, and a query for it; a third title has an ID between theirs. */
const spellings: [typed: string[], one: string, another: string, third: string][] = [
  [['2.4 ghz router', 'router 2.40GHz'], 'Router 2.40 GHz', 'Router 2.4GHz', 'Router 5 GHz'],
  [['5m cable', 'cable 5.0 m', '5,00m cable'], 'Cable 5.00 m', 'Cable 5m', 'Cable 50 m'],
  [['.5 l water', 'water 0.50L', '0,5l water'], 'Water .5 L', 'Water 0.5l', 'Water 5 L'],
];
for (const [typed, one, another, third] of spellings) {
  for (const query of typed) {
    test(`${query} finds ${one} and ${another} before ${third}`, (t) => {
      const world = createWorld([
        { id: 'a', title: one },
        { id: 'b', title: third },
        { id: 'c', title: another },
      ]);
      merge(world);
      t.deepEqual(world.find(query).slice(0, 2).sort(), ['a', 'c']);
    });
  }
}

test('a number is found as written, too', (t) => {
  const world = createWorld([
    { id: 'a', title: 'Router 5 GHz' },
    { id: 'b', title: 'Router 2.40 GHz' },
  ]);
  merge(world);
  t.is(world.find('router 2.40')[0], 'b');
});
