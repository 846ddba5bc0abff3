/** Browsing a catalogue, settings of the deployment, and previews for editors. */

import { timestampMs } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { CatalogueService } from '../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { PreviewService } from '../../gen/es/personalisation/v1/preview_service_pb.js';
import { createJsonClient } from '../support/json-client.ts';
import { type Shops, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(12);
});

test.after.always(() => shops?.stop());

const options = () => ({ headers: { authorization: shops.service.authorization } });

const transport = () => createGrpcTransport({ baseUrl: `http://${shops.service.grpcAddress}` });

type Page = { items: { item_id: string }[]; next_page_token: string; total_size: number };

const goods = [
  {
    item_id: 'b',
    title: 'Red shoe',
    brand: 'Acme',
    rating: 30,
    categories: ['Shoes/Running'],
    images: ['/b.jpg'],
  },
  { item_id: 'a', title: 'Blue shoe', brand: 'Acme', rating: 10, categories: ['Shoes'] },
  { item_id: 'c', title: 'Green hat', brand: 'Best', categories: ['Hats'] },
];

async function openShop() {
  const shop = shops.open();
  await shop.stock('product', goods);
  const list = async (query: Record<string, string>) => {
    const { body, status, pointers } = await shop.http.get<Page>(
      `/${shop.environment}/items?${new URLSearchParams(query)}`,
    );
    return { status, pointers, ...body, ids: body.items?.map(({ item_id: id }) => id) };
  };
  return { shop, list };
}

test('items are found by conditions, text, status and missing keys', async (t) => {
  const { shop, list } = await openShop();
  await shop.http.post(`/${shop.environment}/items/product/c/disable`);
  t.deepEqual((await list({})).ids, ['a', 'b', 'c']);
  t.deepEqual((await list({ filter: '{"key":"brand","match":"Acme"}' })).ids, ['a', 'b']);
  t.deepEqual((await list({ filter: '{"key":"categories","match":"Shoes"}', text: 'RED' })).ids, ['b']);
  t.deepEqual((await list({ status: 'disabled' })).ids, ['c']);
  t.deepEqual((await list({ missing: 'rating' })).ids, ['c']);
  t.deepEqual((await list({ missing: 'images' })).ids, ['a', 'c']);
});

test('a query finds items as a search does, despite typing errors, then by title and id, in pages', async (t) => {
  const { shop, list } = await openShop();
  await shop.stock('product', [{ item_id: 'shoe-rack', title: 'Rack' }]);
  await shop.http.post(`/${shop.environment}/items/product/a/disable`);
  t.deepEqual((await list({ query: 'sheo' })).ids, ['b']);
  t.deepEqual((await list({ query: 'shoe' })).ids, ['b', 'a', 'shoe-rack']);
  t.deepEqual((await list({ query: 'RUNNING' })).ids, ['b']);
  const first = await list({ query: 'shoe', page_size: '2' });
  const second = await list({ query: 'shoe', page_size: '2', page_token: first.next_page_token });
  t.deepEqual([first.ids, second.ids, second.next_page_token], [['b', 'a'], ['shoe-rack'], '']);
  t.deepEqual((await list({ query: 'shoe', order_by: 'title' })).ids, ['a', 'shoe-rack', 'b']);
  t.deepEqual((await list({ query: 'shoe', status: 'disabled' })).ids, ['a']);
  t.is((await list({ query: 'shoe', text: 'shoe' })).status, 400);
});

test('items are paged in the requested order, those without the property last', async (t) => {
  const { list } = await openShop();
  t.deepEqual((await list({ order_by: 'rating' })).ids, ['a', 'b', 'c']);
  const first = await list({ order_by: 'rating desc', page_size: '2' });
  t.deepEqual([first.ids, first.total_size], [['b', 'a'], 3]);
  const second = await list({ order_by: 'rating desc', page_size: '2', page_token: first.next_page_token });
  t.deepEqual([second.ids, second.next_page_token], [['c'], '']);
});

test('an invalid catalogue query is refused with a pointer', async (t) => {
  const { list } = await openShop();
  t.like(await list({ order_by: 'nonsense' }), { status: 400, pointers: ['query:order_by'] });
  t.like(await list({ page_token: 'x' }), { status: 400, pointers: ['query:page_token'] });
  t.like(await list({ filter: '{"key":"brand"}' }), { status: 400, pointers: ['query:filter'] });
  const variable = '{"key":"brand","match":{"variable":{"name":"x","default":"y"}}}';
  t.is((await list({ filter: variable })).status, 200);
  t.is((await list({ filter: variable.replace(',"default":"y"', '') })).status, 400);
});

test('values are counted over enabled items, categories including their descendants', async (t) => {
  const { shop } = await openShop();
  const client = createClient(CatalogueService, transport());
  const count = (key: string, text?: string) =>
    client.countItemValues({ environment: shop.environment, key, text }, options());
  const pairs = async (key: string, text?: string) =>
    (await count(key, text)).values.map(({ value, itemCount }) => [value?.kind.value, itemCount]);
  t.deepEqual(await pairs('categories'), [
    ['Shoes', 2],
    ['Hats', 1],
    ['Shoes/Running', 1],
  ]);
  t.deepEqual(await pairs('brand', 'bes'), [['Best', 1]]);
  t.like(await count('rating'), { itemCount: 2, missingCount: 1, minimum: 10, maximum: 30 });
});

test('a caller sees the environments of its scopes', async (t) => {
  const { shop } = await openShop();
  const made = await fetch(new URL('/personalisation.v1.ClientService/CreateClient', shops.service.baseUrl), {
    method: 'POST',
    headers: { ...options().headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      client: { kind: 'CLIENT_KIND_CONFIDENTIAL', name: 'items', scopes: [`items:${shop.environment}`] },
    }),
  });
  const { client, clientSecret } = (await made.json()) as {
    client: { clientId: string };
    clientSecret: string;
  };
  const answer = await fetch(`${shops.service.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: clientSecret,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const http = createJsonClient({ ...shops.service, authorization: `Bearer ${token}` });
  const { body } = await http.get<{ environments: { name: string; item_count: number }[] }>('/environments');
  t.like(body.environments, [{ name: shop.environment, item_count: 3 }]);
  t.is(body.environments.length, 1);
  const stranger = createJsonClient({ ...shops.service, authorization: '' });
  t.is((await stranger.get('/environments')).status, 401);
});

test('many items are stored at once or only validated, and invalid ones are reported by line', async (t) => {
  const { shop, list } = await openShop();
  const client = createClient(CatalogueService, transport());
  const items = [
    { item_type: 'product', item_id: 'a', title: 'Blue shoe, new' },
    { item_type: 'product', item_id: 'd', title: 'Scarf' },
    { item_type: 'product', item_id: 'e', rating: 'high' },
    { item_type: 'nothing', item_id: 'f' },
  ].map((item, i) => ({ line: BigInt(i + 2), form: { case: 'json' as const, value: JSON.stringify(item) } }));
  const request = { environment: shop.environment, items };
  const trial = await client.putItems({ ...request, validateOnly: true }, options());
  t.like(trial, { acceptedCount: 2, newCount: 1 });
  t.deepEqual(
    trial.refused.map(({ line, details }) => [Number(line), details[0].pointer]),
    [
      [4, '/rating'],
      [5, '/item_type'],
    ],
  );
  t.deepEqual((await list({})).ids, ['a', 'b', 'c']);
  t.like(await client.putItems(request, options()), { acceptedCount: 2, newCount: 1 });
  t.deepEqual((await list({ text: 'new' })).ids, ['a']);
  t.like(await client.putItems(request, options()), { acceptedCount: 2, newCount: 0 });
});

test('many items are changed at once; changes cannot be only validated', async (t) => {
  const { shop, list } = await openShop();
  const client = createClient(CatalogueService, transport());
  const items = ['a', 'b', 'unknown'].map((item_id, i) => {
    const value = JSON.stringify({ item_type: 'product', item_id, tags: ['sale'] });
    return { line: BigInt(i), form: { case: 'json' as const, value }, enabled: item_id !== 'b' };
  });
  const request = { environment: shop.environment, items, patch: true };
  await t.throwsAsync(client.putItems({ ...request, validateOnly: true }, options()), {
    message: /cannot be validated/,
  });
  const { acceptedCount, refused } = await client.putItems(request, options());
  t.is(acceptedCount, 2);
  t.deepEqual(
    refused.map(({ line }) => Number(line)),
    [2],
  );
  t.deepEqual((await list({ filter: '{"key":"tags","match":"sale"}', text: 'Blue' })).ids, ['a']);
  t.deepEqual((await list({ status: 'disabled' })).ids, ['b']);
});

test('the events of an item are counted by day and event type', async (t) => {
  const { shop } = await openShop();
  const client = createClient(CatalogueService, transport());
  const day = Math.floor(Date.now() / 86_400_000) * 86_400;
  const seen = { event_type: 'detail_pageview', page_type: 'detail', action_item: 'a' };
  for (const timestamp of [day, day, day - 86_400, day - 40 * 86_400])
    await shop.track({ ...seen, device_id: 'd', timestamp });
  await shop.track({ event_type: 'purchase', action_item: 'a', device_id: 'd', timestamp: day });
  await shop.track({ ...seen, action_item: 'b', device_id: 'd', timestamp: day });
  const name = { environment: shop.environment, itemType: 'product', itemId: 'a' };
  const { figures, partial } = await client.getItemFigures({ ...name, days: 30 }, options());
  t.false(partial);
  t.deepEqual(
    figures.map(({ startTime, eventType, count }) => [
      timestampMs(startTime!) / 1_000 - day,
      eventType,
      count,
    ]),
    [
      [-86_400, 'detail_pageview', 1],
      [0, 'detail_pageview', 2],
      [0, 'purchase', 1],
    ],
  );
});

test('a preview makes and explains lists of a draft, without side effects', async (t) => {
  const { shop } = await openShop();
  const configurationId = await shop.configure({});
  const client = createClient(PreviewService, transport());
  const query = { key: 'brand', match: { value: { kind: { case: 'stringValue' as const, value: 'Best' } } } };
  const answer = await client.previewRecommendations(
    {
      environment: shop.environment,
      request: {
        deviceId: 'somebody',
        pageType: 'home',
        lists: [{ configurationId, listName: 'l', listSize: 5 }],
      },
      drafts: [{ configurationId, constraints: [{ rule: { case: 'query', value: query } }] }],
      whyNot: [{ itemId: 'a' }],
    },
    options(),
  );
  t.deepEqual(
    answer.recommendations?.lists[0].items.map(({ itemId }) => itemId),
    ['c'],
  );
  t.like(answer.outcomes[0], { configurationVersion: 0 });
  t.like(answer.explanations[0].whyNot[0], { itemId: 'a', reason: 'rule' });
  const requests = await shop.http.get<{ results: unknown[] }>(
    `/metrics/requests?environment=${shop.environment}`,
  );
  t.deepEqual(requests.body.results, []);
});
