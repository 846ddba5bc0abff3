/** Requested fields of items, within those that the deployment returns. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { startSecondNode } from './support/second-node.ts';
import { testedService } from './support/tested-service.ts';

const item = (returned: string) => `
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, filterable: true, returnable: true }
          - { name: price, type: number, returnable: true }
          - { name: cost, type: number }
          - { name: colors, type: "string[]", returnable: true }
${returned}`;

const deployment = `environments:
  - name: shop${item('    returned_fields: [title, price, brand, colors, tags, images, publication_datetime, item_type]')}
  - name: open${item('')}`;
const service = testedService(deployment);
const http = createJsonClient(service);

const sofa = {
  title: 'Red sofa',
  brand: 'Lumen',
  price: 9.5,
  cost: 3,
  colors: ['red'],
  images: ['https://shop.example/a.jpg', { url: 'https://shop.example/b.jpg', alt: 'b' }],
  publication_datetime: '2024-01-01T01:00:00+01:00',
};

type Shown = Record<string, unknown>;
type Lists = { lists: { list_key: string; items: Shown[] }[] };

const device = { device_id: 'd', page_type: 'home' };
const list = { configuration_id: 'any', list_name: 'l', list_size: 2 };

test.before(async () => {
  await http.put('/configurations/any', {});
  for (const environment of ['shop', 'open']) {
    await http.put(`/${environment}/items/product/sofa`, sofa);
    await http.put(`/${environment}/items/product/bare`, { title: 'Bare sofa' });
  }
});

const shownOf = (items: Shown[]) =>
  items.toSorted((a, b) => (String(a.item_id) < String(b.item_id) ? 1 : -1));

async function ask(room: string, request: object): Promise<Lists['lists'][number]> {
  return (await http.post<Lists>(`/shop/${room}/requests`, { ...device, ...request })).body.lists[0];
}

const fields = ['price', 'colors', 'images', 'publication_datetime', 'tags', 'item_type'];
const expected = {
  price: 9.5,
  colors: ['red'],
  images: sofa.images,
  publication_datetime: '2024-01-01T00:00:00.000Z',
  item_type: 'product',
};

for (const [room, request] of [
  ['recommendations', { lists: [list] }],
  ['searches', { q: 'sofa' }],
] as const) {
  test(`${room} return the requested fields, and so do their pages`, async (t) => {
    const { list_key: listKey, items } = await ask(room, { ...request, fields });
    const [first, bare] = shownOf(items);
    t.like(first, { item_id: 'sofa', ...expected });
    for (const name of ['cost', 'brand', 'tags', 'description']) t.false(name in first, name);
    t.false('price' in bare);
    const { body } = await http.get<Lists>(`/shop/${room}/lists?list_key=${listKey}&offset=1&limit=9`);
    t.deepEqual(body.lists[0].items, items);
    const plain = await ask(room, request);
    for (const name of fields.slice(0, 5)) t.false(name in plain.items[0], name);
  });

  test(`${room} refuse fields that the deployment does not return`, async (t) => {
    const refused = await http.post(`/shop/${room}/requests`, {
      ...device,
      ...request,
      fields: ['price', 'cost', 'uri', 'nothing'],
    });
    t.is(refused.status, 400);
    t.deepEqual(refused.pointers, ['/fields/1', '/fields/2', '/fields/3']);
  });
}

test('completions return fields, by both methods', async (t) => {
  type Completed = { completions: Shown[] };
  const posted = await http.post<Completed>('/shop/searches/completions', {
    q: 'red',
    device_id: 'd',
    fields: ['price'],
  });
  t.like(posted.body.completions[0], { item_id: 'sofa', title: 'Red sofa', price: 9.5 });
  const path = '/shop/searches/completions?q=red&device_id=d&fields=';
  const { body } = await http.get<Completed>(`${path}price&fields=brand`);
  t.like(body.completions[0], { price: 9.5, brand: 'Lumen' });
  t.deepEqual((await http.get(`${path}cost`)).pointers, ['query:fields']);
});

test('browsing returns the requested fields as they were sent', async (t) => {
  const { body } = await http.get<{ items: Shown[] }>(
    '/shop/items?text=red&fields=cost&fields=publication_datetime',
  );
  const identity = { environment: 'shop', item_type: 'product', item_id: 'sofa' };
  t.deepEqual(body.items, [{ ...identity, cost: 3, publication_datetime: sofa.publication_datetime }]);
});

test('by default, fields of Item and returnable properties are returned', async (t) => {
  const search = (names: string[]) =>
    http.post<Lists>('/open/searches/requests', { ...device, q: 'red', fields: names });
  t.like((await search(['brand', 'uri'])).body.lists[0].items[0], { brand: 'Lumen' });
  t.deepEqual((await search(['cost', 'images'])).pointers, ['/fields/0', '/fields/1']);
});

test('pages of earlier lists omit fields that the deployment no longer returns', async (t) => {
  const request = { ...device, fields: ['price', 'brand'] };
  const lists = {
    recommendations: (await ask('recommendations', { ...request, lists: [list] })).list_key,
    searches: (await ask('searches', { ...request, q: 'red sofa' })).list_key,
  };
  const withoutPrice = deployment
    .replaceAll('name: price, type: number, returnable: true', 'name: price, type: number')
    .replace('[title, price, ', '[title, ');
  const node = await startSecondNode(service, withoutPrice);
  t.teardown(node.stop);
  const other = createJsonClient({ ...service, baseUrl: node.baseUrl });
  for (const [room, key] of Object.entries(lists)) {
    const { body } = await other.get<Lists>(`/shop/${room}/lists?list_key=${key}&offset=1&limit=2`);
    const shown = body.lists[0].items.find(({ item_id: id }) => id === 'sofa')!;
    t.like(shown, { brand: 'Lumen', price: undefined }, room);
  }
});
