/** One of each group, however many match. */

import test from 'ava';
import { createWorld, type Item } from '../support/world.ts';

const groupsOf = (ids: string[]) => ids.map((id) => id.split(' ')[0]);

/** Three products with a thousand variants each, whose words fit best, then forty with three. */
function crowded(): Item[] {
  const variants = (group: string, count: number, title: string) =>
    Array.from({ length: count }, (_, i) => ({
      id: `${group} ${i}`,
      group_id: group,
      title,
      brand: `b${i % 3}`,
    }));
  return [
    ...['x', 'y', 'z'].flatMap((group) => variants(group, 1_000, 'shoes')),
    ...Array.from({ length: 40 }, (_, i) => variants(`p${i}`, 3, `shoes for the mountain ${i}`)).flat(),
  ];
}

test('a list is full though the best hits are thousands of a few groups', (t) => {
  const world = createWorld(crowded());
  for (const q of ['shoes', '']) {
    const groups = groupsOf(world.find(q));
    t.is(groups.length, 43, q);
    t.is(new Set(groups).size, 43, q);
  }
  t.deepEqual(groupsOf(world.find('shoes').slice(0, 3)).toSorted(), ['x', 'y', 'z']);
});

test('pages hold every group once', (t) => {
  const world = createWorld(crowded());
  for (const orderBy of [undefined, { key: 'brand', descending: true }]) {
    const pages = Array.from({ length: 10 }, (_, page) =>
      world.find('shoes', {
        listSize: 5,
        refinement: { facets: [], filters: [], orderBy, offset: page * 5 },
      }),
    );
    t.is(pages.flat().length, 43);
    t.is(new Set(groupsOf(pages.flat())).size, 43);
  }
});

test('lists by a field are full, each with one of a group', (t) => {
  const world = createWorld(crowded());
  const { lists } = world.search.search({ q: 'shoes', nowMs: 0, listSize: 20, groupBy: ['brand'] });
  for (const { items } of lists) {
    const groups = items.map(({ itemIndex }) => world.catalog.groups.of(itemIndex));
    t.is(new Set(groups).size, 20);
  }
});

test('what is liked best of a group stands for it', (t) => {
  const world = createWorld(crowded().filter(({ id }) => id.startsWith('p')));
  const liked = world.catalog.indexOfId('p7 2')!;
  const ids = world.find('shoes', { taste: (itemIndex) => Number(itemIndex === liked) });
  t.is(
    ids.find((id) => id.startsWith('p7 ')),
    'p7 2',
  );
});
