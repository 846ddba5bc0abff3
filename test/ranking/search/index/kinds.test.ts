/** Products before their accessories, learnt from the catalogue's titles. */
import test from 'ava';
import { createWorld, type Item, merge } from '../support/world.ts';

const english: Item[] = [
  { id: 'seat', title: 'Vola bicycle seat' },
  { id: 'seat-for', title: 'Seat for bicycle' },
  { id: 'rack', title: 'Bicycle rack with hooks' },
  { id: 'other-rack', title: 'Rack for kayaks' },
  { id: 'bicycle', title: 'Vola bicycle red edition 28 gears' },
  { id: 'bicycle-with', title: 'Vola city bicycle with bell and basket' },
  { id: 'kayak', title: 'Vola kayak red edition' },
];

const ranked = (items: Item[], query: string, language?: string): string[] => {
  const world = createWorld(items, { language });
  const before = world.find(query);
  merge(world);
  return [before, world.find(query)]
    .map((ids) => ids.join(' '))
    .filter((ids, i, all) => all.indexOf(ids) === i);
};

test('a product precedes its parts, with titles that name it before their own kind or after a relation word', (t) => {
  const [order, ...others] = ranked(english, 'bicycle');
  t.deepEqual(others, [], 'the same before and after a merge');
  t.deepEqual(new Set(order.split(' ').slice(0, 2)), new Set(['bicycle', 'bicycle-with']));
});

test('the parts come first in a search for them', (t) => {
  t.deepEqual(ranked(english, 'bicycle seat')[0].split(' ').slice(0, 2), ['seat', 'seat-for']);
  t.deepEqual(ranked(english, 'rack')[0].split(' ').slice(0, 2).sort(), ['other-rack', 'rack']);
});

test('a word between a product and the kind that it describes has no effect', (t) => {
  const items = [
    { id: 'holder', title: 'High heel bottle holder' },
    { id: 'heel', title: 'Vola high heel pump red edition' },
    { id: 'other', title: 'Bottle holder for wine' },
    { id: 'third', title: 'Phone holder with clip' },
  ];
  t.deepEqual(ranked(items, 'high heel'), ['heel holder']);
});

test('a colour after a kind is no kind, so it does not lower the item', (t) => {
  const [order] = ranked([...english, { id: 'black', title: 'Bicycle black' }], 'bicycle');
  t.is(order.split(' ')[0], 'black');
});

test('in languages with the head first only relation words count', (t) => {
  const items = [
    { id: 'housse', title: 'Housse pour vélo' },
    { id: 'vélo', title: 'Vélo Vola noir avec panier de course' },
  ];
  t.is(ranked(items, 'velo', 'fr')[0], 'vélo housse');
});
