/** Words without a slot of their own still count beside a word with one. */
import test from 'ava';
import { createWorld } from '../support/world.ts';

const asked: [query: string, first: string, titles: string[], reason: string][] = [
  ['dr who', 'Doctor and Dr Who annual of stories', ['Dr No', 'Dr Dolittle'], 'a stop word of a name'],
  ['the north face', 'Jacket of The North Face for men', ['North face of a wall'], 'a stop word before it'],
  ['no sugar', 'Cola with no sugar at all', ['Brown sugar', 'Sugar for cola'], 'a stop word that denies'],
  [
    'door in door fridge',
    'Door in door fridge of steel 500 l',
    ['Fridge door of a fridge of steel', 'Door fridge of steel 500 l'],
    'a word said twice',
  ],
  [
    'lighting with two lights',
    'Ceiling lighting with two lights in black',
    ['Lighting two', 'Two light'],
    'a word and its relative',
  ],
];

for (const [query, first, others, reason] of asked) {
  test(`${query} finds "${first}" first: ${reason}`, (t) => {
    const world = createWorld([...others, first].map((title) => ({ id: title, title })));
    const hits = world.search.search({ q: query, nowMs: 0, listSize: 10 }).lists[0].items;
    t.is(world.catalog.itemIdAt(hits[0].itemIndex), first);
    const { contributionsOf } = world.search.explainQuery({ q: query });
    for (const { itemIndex, text } of hits) {
      const sum = contributionsOf(itemIndex).reduce((all, { score }) => all + score, 0);
      t.true(Math.abs(sum - text) < 0.01, 'the parts add up');
    }
  });
}

test('the typed form of a word precedes a brand that is its stem', (t) => {
  const world = createWorld([
    ...['Tile', 'Tile set', 'Tile home'].map((title) => ({ id: title, title, brand: 'Tile' })),
    ...['Tiling for walls in the bathroom', 'Blue wall tiling'].map((title) => ({ id: title, title })),
  ]);
  t.regex(world.find('tiling')[0], /tiling/i);
});
