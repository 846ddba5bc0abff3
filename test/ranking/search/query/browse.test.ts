/** The best items for an empty query. */

import test from 'ava';
import { browse } from '../../../../src/ranking/search/query/hits.ts';

test('every item of a large catalogue is browsed, including the oldest', (t) => {
  const catalog = { itemCount: 300_000, comesBefore: (one: number, other: number) => one < other };
  const found = (admits: (itemIndex: number) => boolean) =>
    browse(catalog, { limit: 3, among: { admits }, prior: (itemIndex) => Number(itemIndex === 7) });
  t.is(found(() => true).hits[0].itemIndex, 7);
  const { hits, isComplete } = found((itemIndex) => itemIndex < 2);
  t.deepEqual([hits.map(({ itemIndex }) => itemIndex), isComplete], [[0, 1], true]);
});
