/** Numbers with units that no item has. */
import test from 'ava';
import { createWorld, merge } from './support/world.ts';

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
