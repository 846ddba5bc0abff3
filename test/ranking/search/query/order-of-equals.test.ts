/** Ties have the same order on every node and after a restart, for any order of arrival. */

import test from 'ava';
import { fc } from '../../../support/properties.ts';
import { createWorld, type Item } from '../support/world.ts';

const items: Item[] = Array.from({ length: 1_500 }, (_, i) => ({
  id: `item-${i}`,
  title: i % 3 === 0 ? 'toner black' : 'toner cartridge black',
  brand: `brand ${i % 4}`,
  ...(i % 5 === 0 && { group_id: `g${i % 25}` }),
  ...(i % 7 > 0 && { price: i % 3 }),
}));

const orders = [undefined, { key: 'brand', descending: false }, { key: 'price', descending: true }];

const pagesOf = (world: ReturnType<typeof createWorld>) =>
  ['toner', 'black toner', 'toner black', ''].flatMap((q) =>
    orders.map((orderBy) =>
      [0, 20, 1_150].map((offset) =>
        world.find(q, { listSize: 20, refinement: { facets: [], filters: [], orderBy, offset } }),
      ),
    ),
  );

test('pages do not depend on the order of arrival of items', (t) => {
  const wanted = pagesOf(createWorld(items));
  t.true(wanted.flat().every((page) => page.length === 20));
  const arrivals = fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length });
  const property = fc.property(arrivals, (arrived) => {
    t.deepEqual(pagesOf(createWorld(arrived)), wanted);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 3, endOnFailure: true }));
});
