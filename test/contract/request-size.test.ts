/** Total size of a request, on every operation that makes lists or reads histories. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
limits: { items_per_request: 1000, history_entries_per_request: 60 }
environments:
  - name: shop
    item_types: [{ name: product }]
`;
const service = testedService(deployment);
const http = createJsonClient(service);

const page = { device_id: 'd', page_type: 'home' };
const list = (name: string, size: number) => ({ configuration_id: 'any', list_name: name, list_size: size });
const histories = (...sizes: number[]) =>
  Object.fromEntries(
    sizes.map((size, i) => [`history-${i}`, Array.from({ length: size }, (_, k) => ({ id: `${i}-${k}` }))]),
  );

type Problem = { status: number; errors?: { pointer: string; detail: string }[] };

test.before(async () => {
  await http.put('/configurations/any', {});
  await http.put('/shop/items/product/sofa', { title: 'Red sofa' });
});

const requests: [path: string, request: object, pointer?: string][] = [
  ['recommendations/requests', { ...page, lists: [list('a', 1_000)] }],
  ['recommendations/requests', { ...page, lists: [list('a', 999), list('b', 2)] }, '/lists'],
  ['recommendations/requests', { ...page, lists: [list('a', 2)], histories: histories(30, 30) }],
  [
    'recommendations/requests',
    { ...page, lists: [list('a', 2)], histories: histories(30, 31) },
    '/histories',
  ],
  ['searches/requests', { ...page, q: 'sofa', list_size: 1_000, num_lists: 100 }],
  ['searches/requests', { ...page, q: 'sofa', list_size: 100, num_lists: 100, group_by: ['title'] }],
  ['searches/requests', { ...page, q: 'sofa', histories: histories(30, 31) }, '/histories'],
  ['searches/completions', { q: 'so', histories: histories(30, 30) }],
  ['searches/completions', { q: 'so', histories: histories(30, 31) }, '/histories'],
];

for (const [path, request, pointer] of requests)
  test(`${path} ${pointer === undefined ? 'accepts' : `refuses ${pointer} of`} ${JSON.stringify(request).slice(0, 120)}`, async (t) => {
    const { status, body } = await http.post<Problem>(`/shop/${path}`, request);
    t.is(status, pointer === undefined ? 200 : 400);
    if (pointer !== undefined)
      t.deepEqual(
        body.errors?.map((one) => one.pointer),
        [pointer],
      );
  });

test('a grouped search fills its lists in order up to the request’s limit of items', async (t) => {
  const ids = Array.from({ length: 1_040 }, (_, i) => `lamp-${i}`);
  for (let start = 0; start < ids.length; start += 104)
    await Promise.all(
      ids.slice(start, start + 104).map((id) => {
        const tags = [`tag ${Number(id.slice('lamp-'.length)) % 2}`];
        return http.put(`/shop/items/product/${id}`, { title: `Lamp ${id}`, tags });
      }),
    );
  const asked = { ...page, q: 'lamp', group_by: ['tags'], list_size: 1_000, num_lists: 100, limit: 0 };
  const { body } = await http.post<{ lists: { list_size: number }[] }>('/shop/searches/requests', asked);
  t.deepEqual(
    body.lists.map(({ list_size: size }) => size),
    [520, 480],
  );
});
