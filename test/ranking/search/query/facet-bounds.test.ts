import test from 'ava';
import { createWorld } from '../support/world.ts';

test('a facet of numbers has the least and the greatest, without its own picks', (t) => {
  const world = createWorld(
    [30, 80, 5, undefined].map((price, i) => ({ id: `p${i}`, title: i === 2 ? 'Socks' : 'Shirt', price })),
  );
  const facets = [
    { key: 'price', limit: 9 },
    { key: 'brand', limit: 9 },
  ];
  const filters = [{ key: 'price', values: [30], ranges: [] }];
  const { refined } = world.search.search({
    q: 'shirt',
    nowMs: 0,
    listSize: 9,
    refinement: { facets, filters, offset: 0 },
  });
  const bounds = refined!.facets.map(({ minimum, maximum }) => [minimum, maximum]);
  t.deepEqual(bounds, [
    [30, 80],
    [undefined, undefined],
  ]);
});
