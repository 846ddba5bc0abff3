/** A query that names a category shows its items first. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

const items = [
  { id: 'iphone', title: 'iPhone 15 128 GB', categories: ['Electronics/Phones'] },
  { id: 'pixel', title: 'Pixel 9', categories: ['Electronics/Phones'] },
  { id: 'case', title: 'Phone case', categories: ['Electronics/Phones/Cases'] },
  { id: 'holder', title: 'Phone', description: 'phone phone', categories: ['Car'] },
  { id: 'sneaker', title: 'Sneaker', categories: ['Clothes/Shoes/Sport'] },
  { id: 'tree', title: 'Shoe tree', categories: ['Care'] },
];

const queries: [query: string, first: string[], why: string][] = [
  ['phones', ['iphone', 'pixel'], 'it is the name, and cases are below it'],
  ['phone', ['holder', 'iphone', 'pixel'], 'a title that equals the query is first, then the category'],
  ['mobile', ['iphone', 'pixel'], 'it is a synonym of the name'],
  ['shoes', ['sneaker'], 'the category has items below it alone'],
  ['phone case', ['case'], 'it is no name'],
];

for (const [query, first, why] of queries)
  test(`"${query}" finds ${first.join(', ')} first: ${why}`, (t) => {
    const world = createWorld(items, { synonyms: [{ words: ['mobile', 'phone'] }] });
    t.deepEqual(world.find(query).slice(0, first.length).toSorted(), first);
    merge(world);
    t.deepEqual(world.find(query).slice(0, first.length).toSorted(), first);
  });

test('a category that came or went is followed', (t) => {
  const world = createWorld(items);
  world.put({ id: 'pear', title: 'Conference', categories: ['Fruit'] });
  world.put({ id: 'knife', title: 'Fruit knife', categories: ['Kitchen'] });
  t.deepEqual(world.find('fruits'), ['pear', 'knife']);
  world.put({ id: 'pear', title: 'Conference', categories: ['Garden'] });
  t.deepEqual(world.find('fruits'), ['knife']);
});
