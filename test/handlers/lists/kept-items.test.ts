import test from 'ava';
import { isShowable, itemsOf } from '../../../src/handlers/lists/kept-items.ts';
import type { StoredList } from '../../../src/handlers/lists/list-store.ts';
import type { Catalog } from '../../../src/ranking/catalog/catalog.ts';

const list: StoredList = {
  kind: 'recommendations',
  configurationId: 'home',
  listName: 'picks',
  deviceId: 'd',
  requestId: 'r',
  userGroup: 'recommender',
  version: 'default',
  items: [
    ['a', 'product'],
    ['b', 'product'],
    ['c', 'product'],
  ],
};

const shown = (kept: StoredList) =>
  itemsOf(kept).map(({ itemId, rank, isPlaced }) => [itemId, rank, isPlaced]);

test('ranks are places from 1, unless the list has its own', (t) => {
  t.deepEqual(shown(list), [
    ['a', 1, false],
    ['b', 2, false],
    ['c', 3, false],
  ]);
  t.deepEqual(shown({ ...list, ranks: [1, 5, 6] }), [
    ['a', 1, false],
    ['b', 5, false],
    ['c', 6, false],
  ]);
});

test('an item that fills a gap does not count as placed by the request', (t) => {
  const filled: StoredList['filled'] = [[1, 'x', 'article']];
  t.deepEqual(shown({ ...list, placed: [0, 1], filled }), [
    ['a', 1, true],
    ['x', 2, false],
    ['c', 3, false],
  ]);
  t.is(itemsOf({ ...list, filled })[1].itemType, 'article');
});

/** A future item, which only a request may pin, and a deleted one. */
const catalog = {
  indexOf: (_: string, itemId: string) => ['early', 'gone'].indexOf(itemId) + 1 || undefined,
  isPresent: (itemIndex: number) => itemIndex === 1,
  servable: () => false,
} as unknown as Catalog;

for (const [title, itemId, isPlaced, expected] of [
  ['a pinned item is returned before its publication', 'early', true, true],
  ['an item that is not pinned is not returned', 'early', undefined, false],
  ['a deleted item is not returned, pinned or not', 'gone', true, false],
  ['an item unknown to the catalogue is returned', 'unknown', undefined, true],
] as const)
  test(title, (t) => {
    t.is(isShowable({ itemId, itemType: 'product', isPlaced }, { catalog }, 0), expected);
  });
