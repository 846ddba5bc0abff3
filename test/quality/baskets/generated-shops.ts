/**
 * Shops with known baskets: three things for each errand, no relation between things, and three things of different shelves
 * that are bought together in forty of many visits.
 */

import { type Chance, createChance } from '../../../src/deployment/demo/random.ts';
import type { Basket } from './world.ts';

const productCount = 300;
const shelfLength = 10;
const basketCount = 1_500;

/** The content of a thing tells only its shelf. */
const productAt = (number: number) => {
  const shelf = Math.floor(number / shelfLength);
  return {
    id: `p${number}`,
    content: { title: `shelf${shelf} thing`, categories: [`Shelf ${shelf}`] },
  };
};

/** A few things are popular with all customers. */
const anything = (chance: Chance) => Math.floor(productCount * chance.fraction() ** 3);

function basketsOf(seed: string, fill: (chance: Chance, basket: number) => number[]): Basket[] {
  const chance = createChance(seed);
  return Array.from({ length: basketCount }, (_, basket) => ({
    person: `person ${basket % 400}`,
    atSeconds: 1_700_000_000 + basket * 7_200,
    items: fill(chance, basket).map(productAt),
  }));
}

/** Thing n of the errand goes with those a third and two thirds of the shop further on. */
const errand = (chance: Chance) => {
  const first = chance.whole(0, productCount / 3 - 1);
  return [first, first + productCount / 3, first + (2 * productCount) / 3];
};

export function generatedShops(): Record<string, Basket[]> {
  return {
    errands: basketsOf('errands', (chance) => [...errand(chance), anything(chance), anything(chance)]),
    'nothing goes with anything': basketsOf('nothing', (chance) =>
      Array.from({ length: 4 }, () => anything(chance)),
    ),
    'three things in forty visits': basketsOf('three', (chance, basket) =>
      basket % 37 === 0 ? [10, 20, 30] : Array.from({ length: 4 }, () => anything(chance)),
    ),
  };
}
