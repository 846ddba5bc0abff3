/**
 * Catalogues for search, generated in any size or read from a file, and their queries.
 *
 * Generated words follow Zipf's law (rank r has a probability in proportion to 1 / (r + 8)) over a vocabulary of 200,000,
 * without stop words; a title has 4 to 8 of them, a description 24 to 56. A query is two to four words of one title, so that
 * it has results and natural word frequencies. The same seed gives the same catalogue and queries.
 */

import { type Chance, createChance } from '../../src/deployment/demo/random.ts';

export type BenchItem = { title: string; description: string; brand: string; category: string };

export type SearchWorld = {
  name: string;
  itemCount: number;
  /** Returns the same item for the same index. */
  item(index: number): BenchItem;
};

const vocabularySize = 200_000;
const flatness = 8;
const brandCount = 400;
const categoryCount = 60;

const onsets = [
  'b',
  'br',
  'c',
  'd',
  'dr',
  'f',
  'g',
  'gr',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  'st',
  't',
  'v',
  'w',
];
const cores = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'oo'];

/** Number of words of three syllables; prime to the step below, so that words are distinct and neighbours in rank differ. */
const wordSpace = (onsets.length * cores.length) ** 3;

/** Returns the word of a rank: a number in syllables. */
function wordOfRank(rank: number): string {
  let left = ((rank + 1) * 7_919) % wordSpace;
  let word = '';
  while (left > 0) {
    word += onsets[left % onsets.length];
    left = Math.floor(left / onsets.length);
    word += cores[left % cores.length];
    left = Math.floor(left / cores.length);
  }
  return `${word}n`;
}

/** Draws a rank by Zipf's law in constant time, from the inverse of the cumulative share. */
export function zipfRank(chance: Chance, count: number, flat = flatness): number {
  const span = Math.log((count + flat) / flat);
  return Math.min(count - 1, Math.floor(flat * Math.exp(chance.fraction() * span) - flat));
}

export function createGeneratedWorld(itemCount: number): SearchWorld {
  const words = Array.from({ length: vocabularySize }, (_, rank) => wordOfRank(rank));
  const text = (chance: Chance, length: number): string =>
    Array.from({ length }, () => words[zipfRank(chance, vocabularySize)]).join(' ');
  return {
    name: `generated, ${itemCount.toLocaleString('en')} items`,
    itemCount,
    item(index) {
      const chance = createChance(`search ${index}`);
      return {
        title: text(chance, chance.whole(4, 8)),
        description: text(chance, chance.whole(24, 56)),
        brand: `brand${zipfRank(chance, brandCount)}`,
        category: `category${zipfRank(chance, categoryCount)}`,
      };
    },
  };
}

export function createFixedWorld(name: string, items: readonly BenchItem[]): SearchWorld {
  return { name, itemCount: items.length, item: (index) => items[index] };
}

/** Two to four words of a title, in their order. */
export function queryOf(world: SearchWorld, chance: Chance): string {
  const { title } = world.item(chance.whole(0, world.itemCount - 1));
  const words = title.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word));
  const wanted = chance.whole(2, 4);
  while (words.length > wanted) words.splice(chance.whole(0, words.length - 1), 1);
  return words.join(' ');
}

export function queriesOf(world: SearchWorld, count: number): string[] {
  const chance = createChance(`queries of ${world.name}`);
  return Array.from({ length: count }, () => queryOf(world, chance));
}

/** Returns all prefixes of some titles, up to 32 letters. */
export function prefixesOf(world: SearchWorld, titleCount: number): string[] {
  const chance = createChance(`prefixes of ${world.name}`);
  return Array.from(
    { length: titleCount },
    () => world.item(chance.whole(0, world.itemCount - 1)).title,
  ).flatMap((title) =>
    Array.from({ length: Math.min(title.length, 32) }, (_, length) => title.slice(0, length + 1)),
  );
}
