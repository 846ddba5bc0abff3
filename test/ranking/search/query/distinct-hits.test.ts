/** One item of each group, for any number of matches. */

import test from 'ava';
import { createDistinctHits } from '../../../../src/ranking/search/query/distinct-hits.ts';
import type { VersionedKey } from '../../../../src/ranking/search/versioned-cache.ts';
import { createWorld, type Item } from '../support/world.ts';

const groupsOf = (ids: string[]) => ids.map((id) => id.split(' ')[0]);

/** Three products with a thousand variants each and the best words, then forty with three. */
function crowded(): Item[] {
  const variants = (group: string, count: number, title: string) =>
    Array.from({ length: count }, (_, i) => ({
      id: `${group} ${i}`,
      group_id: group,
      title,
      brand: `b${i % 3}`,
    }));
  return [
    ...['a', 'b', 'c'].flatMap((group) => variants(group, 1_000, 'shoes')),
    ...Array.from({ length: 40 }, (_, i) => variants(`p${i}`, 3, `shoes for the mountain ${i}`)).flat(),
  ];
}

test('a list is full even if the best hits are thousands of a few groups', (t) => {
  const world = createWorld(crowded());
  for (const q of ['shoes', '']) {
    const groups = groupsOf(world.find(q));
    t.is(groups.length, 43, q);
    t.is(new Set(groups).size, 43, q);
  }
  t.deepEqual(groupsOf(world.find('shoes').slice(0, 3)).toSorted(), ['a', 'b', 'c']);
});

test('pages have every group once', (t) => {
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

test('results of later rounds are repeated until an item changes its group', (t) => {
  const world = createWorld(crowded());
  const groups = () => new Set(world.find('shoes').map((id) => catalog.groups.of(catalog.indexOfId(id)!)));
  const { catalog } = world;
  for (let time = 0; time < 2; time++) t.is(groups().size, 43);
  const move = (id: string, group_id: string, title: string) =>
    world.put({ id, group_id, title, brand: 'b0' });
  for (const id of ['p5 0', 'p5 1', 'p5 2']) move(id, 'p6', 'shoes for the mountain 5');
  t.is(groups().size, 42);
  move('a 999', 'w', 'shoes');
  t.is(groups().size, 43);
});

test('rounds are cached with the first one, each under its own key', (t) => {
  const { catalog } = createWorld(crowded());
  const memoriesOf = (known?: VersionedKey) => {
    const asked: (VersionedKey | undefined)[] = [];
    createDistinctHits(catalog).find({
      limit: 1,
      wanted: 5,
      among: { admits: () => true, known },
      find(_limit, among) {
        asked.push(among.known);
        return { hits: [], isComplete: asked.length === 4 };
      },
    });
    return asked;
  };
  t.deepEqual(memoriesOf(), [undefined, undefined, undefined, undefined]);
  const memories = memoriesOf({ key: 'asked', version: 3 });
  t.is(new Set(memories.map((memory) => memory!.key)).size, 4);
  t.deepEqual(memoriesOf({ key: 'asked', version: 3 }), memories);
  t.not(memoriesOf({ key: 'another', version: 3 })[1]!.key, memories[1]!.key);
});

test('lists by a field are full, each with one item of a group', (t) => {
  const world = createWorld(crowded());
  const { lists } = world.search.search({ q: 'shoes', nowMs: 0, listSize: 20, groupBy: ['brand'] });
  for (const { items } of lists) {
    const groups = items.map(({ itemIndex }) => world.catalog.groups.of(itemIndex));
    t.is(new Set(groups).size, 20);
  }
});

test('the best liked item of a group represents it', (t) => {
  const world = createWorld(crowded().filter(({ id }) => id.startsWith('p')));
  const liked = world.catalog.indexOfId('p7 2')!;
  const ids = world.find('shoes', { taste: (itemIndex) => Number(itemIndex === liked) });
  t.is(
    ids.find((id) => id.startsWith('p7 ')),
    'p7 2',
  );
});
