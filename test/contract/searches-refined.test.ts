/** Facets of searches, picked values, sort orders and pages, through the interface. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);

type Value = { value: unknown; count: number; minimum?: number; maximum?: number };
type Found = {
  lists: { list_key: string; list_size: number; items: { item_id: string }[] }[];
  facets?: { key: string; values: Value[] }[];
  total_size?: number;
  auto_suggest?: string;
};

const catalogue = [
  { item_id: 'a', title: 'Red shoes', brand: 'Aka', price: 5, in_stock: true },
  { item_id: 'b', title: 'Blue shoes', brand: 'Aka', price: 10, in_stock: false },
  { item_id: 'c', title: 'Green shoes', brand: 'Bel', price: 60, in_stock: true },
  { item_id: 'd', title: 'Socks', brand: 'Bel', price: 2 },
];

test.before(async () => {
  for (const item of catalogue) await http.put(`/shop/items/product/${item.item_id}`, item);
});

const ask = (request: object) =>
  http.post<Found>('/shop/searches/requests', {
    q: 'shoes',
    page_type: 'search',
    device_id: 'd',
    ...request,
  });
const idsOf = ({ lists }: Found) => lists.flatMap(({ items }) => items.map(({ item_id: id }) => id));

test('a search counts its results by value and by range', async (t) => {
  const facets = ['brand', { key: 'price', ranges: [10, 50] }];
  const { body } = await ask({ facets });
  t.is(body.total_size, 3);
  t.deepEqual(body.facets, [
    {
      key: 'brand',
      values: [
        { value: 'Aka', count: 2 },
        { value: 'Bel', count: 1 },
      ],
    },
    {
      key: 'price',
      min: 5,
      max: 60,
      values: [
        { value: '*-10', count: 1, maximum: 10 },
        { value: '10-50', count: 1, minimum: 10, maximum: 50 },
        { value: '50-*', count: 1, minimum: 50 },
      ],
    },
  ]);
});

test('picked values filter the results, but not their own facet', async (t) => {
  const facets = ['brand', { key: 'price', ranges: [10, 50] }];
  const { body } = await ask({ facets, facet_filters: { brand: ['Aka'], price: '10-50' } });
  t.deepEqual(idsOf(body), ['b']);
  t.is(body.total_size, 1);
  const [brand, price] = body.facets!;
  t.deepEqual(brand.values, [{ value: 'Aka', count: 1 }]);
  t.deepEqual(
    price.values.map(({ count }) => count),
    [1, 1, 0],
  );
});

test('a sorted search is paged from any item, by the request and by its list', async (t) => {
  t.deepEqual(idsOf((await ask({ order_by: 'price desc' })).body), ['c', 'b', 'a']);
  const { body } = await ask({ q: '', order_by: 'price', offset: 2, limit: 1 });
  t.deepEqual(idsOf(body), ['a']);
  t.is(body.total_size, 4);
  const [{ list_key: key, list_size: size }] = body.lists;
  t.is(size, 3);
  const page = await http.get<Found>(`/shop/searches/lists?list_key=${key}&offset=2&limit=9`);
  t.deepEqual(idsOf(page.body), ['b', 'c']);
});

test('past the last page, or without matching picks, a search still reports its corrected query', async (t) => {
  const none = [{ offset: 9 }, { facet_filters: { brand: 'Cor' } }];
  for (const request of none) {
    const { body } = await ask({ q: 'green shoess', facets: ['brand'], ...request });
    t.deepEqual(body.lists, []);
    t.is(body.auto_suggest, 'green shoes');
    t.deepEqual(body.facets, [{ key: 'brand', values: [{ value: 'Bel', count: 1 }] }]);
  }
  const rpc = createClient(SearchService, createAdminTransport(service));
  const { queries } = await rpc.listSearchQueries({ environment: 'shop' });
  t.like(
    queries.find(({ query }) => query === 'green shoess'),
    { searches: none.length, withoutResults: 0 },
  );
});

test('a search without these options has none of their fields', async (t) => {
  const { body } = await ask({});
  t.false('facets' in body || 'total_size' in body);
});

const refusals: [name: string, request: object, pointer: string][] = [
  ['a key that is not a filter field', { facets: ['colors'] }, '/facets/0'],
  ['values of a property that is not returnable', { facets: ['price'] }, '/facets/0'],
  ['ranges of a text', { facets: [{ key: 'brand', ranges: [1] }] }, '/facets/0/ranges'],
  ['ranges that do not ascend', { facets: [{ key: 'price', ranges: [5, 5] }] }, '/facets/0/ranges'],
  ['a pick on a field that is not a filter field', { facet_filters: { title: 'x' } }, '/facet_filters/title'],
  ['a pick that is an object', { facet_filters: { brand: [{}] } }, '/facet_filters/brand'],
  ['an unknown sort field', { order_by: 'released' }, '/order_by'],
  ['a sort order with groups', { order_by: 'price', group_by: ['brand'] }, '/group_by'],
  ['an offset below 1', { offset: 0 }, '/offset'],
];

for (const [name, request, pointer] of refusals) {
  test(`${name} is refused`, async (t) => {
    const { status, pointers } = await ask(request);
    t.is(status, 400);
    t.deepEqual(pointers, [pointer]);
  });
}
