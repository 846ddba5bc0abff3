/** Declared properties with any name: in sort orders, conditions, facets and answers. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`environments:
  - name: shop
    item_types:
      - name: product
        properties: [ { name: "screen size", type: number, filterable: true, returnable: true } ]
    filter_fields: ["screen size"]`);
const http = createJsonClient(service);

type Items = { item_id: string; 'screen size'?: number }[];
const size = 'screen size';

test.before(async () => {
  for (const [id, inches] of Object.entries({ small: 24, large: 55, medium: 32 }))
    await http.put(`/shop/items/product/${id}`, { title: `A ${id} screen`, [size]: inches });
  await http.put('/shop/items/product/none', { title: 'No screen' });
});

const sizesOf = (items: Items) => items.map((item) => item[size]);

for (const [order, sizes] of Object.entries({
  [size]: [24, 32, 55, undefined],
  [`${size} asc`]: [24, 32, 55, undefined],
  [`${size} desc`]: [55, 32, 24, undefined],
}))
  test(`items are sorted by ${order} when browsed and when searched`, async (t) => {
    const query = new URLSearchParams({ order_by: order });
    const browsed = await http.get<{ items: Items }>(`/shop/items?${query}`);
    t.is(browsed.status, 200);
    t.deepEqual(sizesOf(browsed.body.items), sizes);
    const asked = { q: 'screen', page_type: 'search', device_id: 'd', order_by: order, fields: [size] };
    const found = await http.post<{ lists: { items: Items }[] }>('/shop/searches/requests', asked);
    t.is(found.status, 200);
    t.deepEqual(sizesOf(found.body.lists[0].items), sizes);
  });

test('an unknown direction is part of the name', async (t) => {
  const query = new URLSearchParams({ order_by: `${size} downwards` });
  t.like(await http.get(`/shop/items?${query}`), { status: 400, pointers: ['query:order_by'] });
});
