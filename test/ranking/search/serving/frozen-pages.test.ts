import test from 'ava';
import type { Forgetting } from '../../../../src/ranking/runtime/forgetting.ts';
import { type Hit, unrankedHit } from '../../../../src/ranking/search/search.ts';
import { createFrozenPages } from '../../../../src/ranking/search/serving/frozen-pages.ts';
import { createWorld } from '../support/world.ts';

const count = 9;
const { catalog } = createWorld(Array.from({ length: count }, (_, i) => ({ id: `p${i}`, title: 'Shirt' })));

/** Answers pages of an order, as a search does. */
function createPages(forgetting?: Forgetting) {
  const freeze = createFrozenPages(forgetting);
  return (order: number[], offset: number, change: { nowMs?: number; deviceId?: string } = {}) => {
    const { nowMs = 0, deviceId = 'd' } = change;
    const refinement = { facets: [], filters: [], offset };
    const request = { environment: 'shop', deviceId, q: 'shirt', filters: [], refinement };
    const asked = { q: 'shirt', nowMs, listSize: 3, refinement };
    const { result } = freeze(request as never, asked, catalog, ({ refinement: page, listSize }) => {
      const items: Hit[] = order.slice(page!.offset, page!.offset + listSize).map(unrankedHit);
      const lists = [{ values: [], name: '', items }];
      return { result: { lists, isFound: true, droppedWords: [] } };
    });
    return result.lists.flatMap(({ items }) => items.map(({ itemIndex }) => itemIndex));
  };
}

const before = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const after = [7, 8, 3, 0, 1, 2, 4, 5, 6];

test('further pages show each item once, though the order changes between them', (t) => {
  const page = createPages();
  const pages = [page(before, 0), page(after, 3), page(before, 6)];
  t.deepEqual(pages.flat().toSorted(), before);
  t.deepEqual(pages[1], [7, 8, 3]);
});

test('the first page is in the present order, and others continue it', (t) => {
  const page = createPages();
  page(before, 0);
  t.deepEqual(page(after, 0), [7, 8, 3]);
  t.deepEqual(page(after, 3), [0, 1, 2]);
});

test('another subject, and one who returns after an hour, has the present order', (t) => {
  const page = createPages();
  page(before, 0);
  t.deepEqual(page(after, 3, { deviceId: 'other' }), [0, 1, 2]);
  t.deepEqual(page(after, 3, { nowMs: 3_600_000 }), [0, 1, 2]);
});

test('the order of a deleted subject is forgotten, and those of others stay', (t) => {
  const forgetting: Forgetting = new Set();
  const page = createPages(forgetting);
  for (const deviceId of ['d', 'other']) page(before, 0, { deviceId });
  for (const forget of forgetting)
    forget((environment, subject) => environment === 'shop' && subject === 'd:d');
  t.deepEqual(page(after, 3, { deviceId: 'd' }), [0, 1, 2]);
  t.deepEqual(page(after, 3, { deviceId: 'other' }), [7, 8, 3]);
});

test('a page after one that lost an item continues its list without a gap', (t) => {
  const world = createWorld(Array.from({ length: count }, (_, i) => ({ id: `p${i}`, title: 'Shirt' })));
  /** Another node each time, which knows of the order what the list before holds. */
  const pageOf = (offset: number, kept?: Int32Array) => {
    const order = before.filter((itemIndex) => world.catalog.servable(itemIndex, 0));
    const refinement = { facets: [], filters: [], offset };
    const request = { environment: 'shop', deviceId: 'd', q: 'shirt', filters: [], refinement };
    const asked = { q: 'shirt', nowMs: 0, listSize: 3, refinement };
    const page = createFrozenPages()(
      request as never,
      asked,
      world.catalog,
      ({ refinement: { offset: from } = { offset: 0 }, listSize }) => {
        const lists = [{ values: [], name: '', items: order.slice(from, from + listSize).map(unrankedHit) }];
        return { result: { lists, isFound: true, droppedWords: [] } };
      },
      kept,
    );
    const items = page.result.lists.flatMap((list) => list.items.map(({ itemIndex }) => itemIndex));
    return { items, known: Int32Array.from([...page.before!, ...items]) };
  };
  const first = pageOf(0);
  /** The order that another request had seen. */
  const seen = Int32Array.from([...first.known, 3, 4, 5]);
  world.disable('p4');
  const second = pageOf(3, seen);
  t.deepEqual(second.items, [3, 5]);
  t.deepEqual(pageOf(6, second.known).items, [6, 7, 8]);
});
