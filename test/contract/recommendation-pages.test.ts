/** Pages of lists: content, lifetime, environments and other nodes. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { requestToken } from '../support/service.ts';
import type { Operation } from './support/operation.ts';
import {
  createTransports,
  type Expected,
  isAnsweredEverywhere,
  type Transports,
} from './support/same-answer.ts';
import { startSecondNode } from './support/second-node.ts';
import {
  createShop,
  idsOf,
  newDevice,
  type ResponseList,
  type Shop,
  type Shops,
  series,
  startShops,
} from './support/shops.ts';

const tidy: (() => unknown)[] = [];
let shops: Shops;
let transports: Transports;
let any: string;

test.before(async () => {
  shops = await startShops(12, { brief: '    list_lifetime_minutes: 1' });
  any = await shops.openNamed('brief').configure({});
  transports = createTransports({ teardown: (close) => tidy.push(close) }, shops.service);
  tidy.push(shops.stop);
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

type Made = { shop: Shop; list: ResponseList; ids: string[]; echo: object };

/** A list of articles `a1` … `a10`; the first three are returned at once. */
async function makeList(shop = shops.open()): Promise<Made> {
  await shop.stock('article', series('a', 10));
  const { body } = await shop.ask({
    device_id: newDevice(),
    user_id: 'ü',
    lists: [{ configuration_id: any, list_name: 'Für dich', list_size: 10, limit: 3 }],
  });
  const { lists, ...echo } = body;
  const whole = await shop.page(lists[0].list_key, 1, 1_000);
  return { shop, list: lists[0], ids: idsOf(whole), echo };
}

test('a page echoes the request, and has the items from offset on', async (t) => {
  const { shop, list, ids, echo } = await makeList();
  const { status, body } = await shop.page(list.list_key, 4, 5);
  t.is(status, 200);
  t.like(body, echo);
  t.like(body.lists[0], {
    configuration_id: any,
    list_name: 'Für dich',
    list_key: list.list_key,
    list_size: 10,
    limit: 5,
  });
  t.deepEqual(
    body.lists[0].items.map(({ item_id: id, rank }) => [id, rank]),
    ids.slice(3, 8).map((id, i) => [id, i + 4]),
  );
  t.deepEqual(
    list.items.map(({ item_id: id }) => id),
    ids.slice(0, 3),
  );
});

test('pages belong to the same list after changes of the catalogue and new events of the user', async (t) => {
  const { shop, list, ids } = await makeList();
  await shop.stock('article', series('later', 5));
  await shop.track({ event_type: 'detail_pageview', user_id: 'ü', action_item: ids[5] });
  t.deepEqual(idsOf(await shop.page(list.list_key, 1, 10)), ids);
});

test('a page past the end has no items', async (t) => {
  const { shop, list } = await makeList();
  const { status, body } = await shop.page(list.list_key, 11, 5);
  t.is(status, 200);
  t.like(body.lists[0], { list_size: 10, limit: 0, items: [] });
  t.is((await shop.page(list.list_key, 2_147_483_647, 2_147_483_647)).status, 200);
  t.deepEqual((await shop.page(list.list_key, 9, 2_147_483_647)).body.lists[0].limit, 2);
});

test('a disabled item is left out, and the other items keep their ranks', async (t) => {
  const { shop, list, ids } = await makeList();
  await shop.http.post(`/${shop.environment}/items/article/${ids[4]}/disable`);
  const { items } = (await shop.page(list.list_key, 4, 4)).body.lists[0];
  t.deepEqual(
    items.map(({ rank }) => rank),
    [4, 6, 7],
  );
  await shop.http.post(`/${shop.environment}/items/article/${ids[4]}/enable`);
  t.deepEqual(idsOf(await shop.page(list.list_key, 1, 10)), ids);
});

test('a gap is filled within the rules, with an item of no other list', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [
    ...series('b', 7).map((item_id) => ({ item_id, brand: 'b' })),
    ...series('c', 5).map((item_id) => ({ item_id, brand: 'c' })),
  ]);
  const ofBrand = { query: { key: 'brand', match: { value: 'b' } } };
  const id = await shop.configure({ constraints: [ofBrand] });
  const [most, rest] = [5, 1].map((size, i) => ({
    configuration_id: id,
    list_name: `l${i}`,
    list_size: size,
  }));
  const { body } = await shop.ask({ device_id: newDevice(), lists: [most, rest] });
  const [first, second] = body.lists;
  const before = first.items.map(({ item_id: itemId }) => itemId);
  const taken = [...before, second.items[0].item_id];
  await shop.http.post(`/${shop.environment}/items/article/${before[2]}/disable`);
  const page = async (key = first.list_key, offset = 1) => shop.page(key, offset, 100);
  const { items } = (await page(first.list_key, 3)).body.lists[0];
  t.deepEqual(
    items.map(({ rank }) => rank),
    [3, 4, 5],
  );
  const [came] = items.map(({ item_id: itemId }) => itemId);
  t.true(came.startsWith('b') && !taken.includes(came), came);
  const after = before.with(2, came);
  t.deepEqual(idsOf(await page()), after, 'a page shows what another one did');
  t.deepEqual(idsOf(await page(second.list_key)), taken.slice(-1));
  await shop.http.post(`/${shop.environment}/items/article/${before[2]}/enable`);
  t.deepEqual(idsOf(await page()), after, 'a filled gap stays filled');

  for (const gone of [came, before[0]])
    await shop.http.post(`/${shop.environment}/items/article/${gone}/disable`);
  const left = (await page()).body.lists[0].items;
  t.deepEqual(
    left.map(({ rank, item_id: itemId }) => [rank, itemId]).filter(([rank]) => Number(rank) > 3),
    [4, 5].map((rank) => [rank, before[rank - 1]]),
  );
  t.true(
    left.some(({ item_id: itemId }) => itemId === before[2]),
    'and what is back may come again',
  );
  t.is(left.length, 5, 'and what another list has, where the catalogue runs short');
});

test('a list and its pages have an expiry time', async (t) => {
  const { shop, list } = await makeList(shops.openNamed('brief'));
  const minute = 60_000;
  const isWithinLife = (text: string) => {
    const leftMs = Date.parse(text) - Date.now();
    return leftMs > 0 && leftMs <= minute;
  };
  t.true(isWithinLife(list.expires_at));
  const { body } = await shop.page(list.list_key, 1, 3);
  t.true(isWithinLife(body.lists[0].expires_at));
  t.true(Date.parse(body.lists[0].expires_at) >= Date.parse(list.expires_at));
});

test('injected items keep their ranks if there are too few others', async (t) => {
  const shop = shops.open();
  await shop.stock('article', ['a1']);
  const list_content = [{ item_id: 'given', rank: 7 }];
  const { body } = await shop.ask({
    lists: [{ configuration_id: any, list_name: 'l', list_size: 9, list_content }],
  });
  const { items, list_key: key } = body.lists[0];
  t.deepEqual(
    items.map(({ item_id: id, rank }) => [id, rank]),
    [
      ['a1', 1],
      ['given', 7],
    ],
  );
  t.deepEqual((await shop.page(key, 2, 10)).body.lists[0].items, items.slice(1));
});

test('a list belongs to its environment', async (t) => {
  const { list } = await makeList();
  t.like(await shops.open().page(list.list_key, 1, 1), { status: 404, reason: 'list_unknown' });
});

const page = (query: string, message: Operation['message']): Operation => ({
  rpc: 'RecommendationService/GetRecommendationList',
  method: 'GET',
  path: `/brief/recommendations/lists?${query}`,
  message: { environment: 'brief', ...message },
});

const refusal = (...pointers: string[]): Expected => ({ status: 400, reason: 'parameter_invalid', pointers });
const listKey = randomUUID();

const requests: [title: string, operation: Operation, expected: Expected][] = [
  [
    'an unknown key',
    page(`list_key=${listKey}&offset=1&limit=1`, { listKey, offset: 1, limit: 1 }),
    { status: 404, reason: 'list_unknown' },
  ],
  ['no key', page('offset=1&limit=1', { offset: 1, limit: 1 }), refusal('query:list_key')],
  ['no offset', page('list_key=x&limit=1', { listKey: 'x', limit: 1 }), refusal('query:offset')],
  ['no limit', page('list_key=x&offset=1', { listKey: 'x', offset: 1 }), refusal('query:limit')],
  [
    'offset 0',
    page('list_key=x&offset=0&limit=1', { listKey: 'x', offset: 0, limit: 1 }),
    refusal('query:offset'),
  ],
  [
    'limit 0',
    page('list_key=x&offset=1&limit=0', { listKey: 'x', offset: 1, limit: 0 }),
    refusal('query:limit'),
  ],
  [
    'both negative',
    page('list_key=x&offset=-1&limit=-1', { listKey: 'x', offset: -1, limit: -1 }),
    refusal('query:offset', 'query:limit'),
  ],
];

for (const [title, operation, expected] of requests) {
  test(`the same answer over every transport: ${title}`, (t) =>
    isAnsweredEverywhere(t, transports, operation, expected));
}

test('an offset that is not an integer is refused', async (t) => {
  for (const offset of ['x', '1.5', '', '1e3x']) {
    const answer = await shops
      .openNamed('brief')
      .http.get(`/brief/recommendations/lists?list_key=x&limit=1&offset=${offset}`);
    t.like(answer, { status: 400, pointers: ['query:offset'] }, offset);
  }
});

/** Changes the expiry of a list, because a test cannot wait for half an hour. */
const setExpiry = (key: string, fromNow: string) =>
  shops.service.database.pool.query(
    `update lists set expires_at = now() + $2::interval where list_key = split_part($1, '.', 1)`,
    [key, fromNow],
  );

test('an expired list is absent, and reading a page renews a list', async (t) => {
  const { shop, list } = await makeList(shops.openNamed('brief'));
  await setExpiry(list.list_key, '20 seconds');
  t.is((await shop.page(list.list_key, 1, 1)).status, 200);
  const { rows } = await shops.service.database.pool.query(
    `select extract(epoch from expires_at - now())::float8 as seconds from lists where list_key = split_part($1, '.', 1)`,
    [list.list_key],
  );
  t.true(rows[0].seconds > 20 && rows[0].seconds <= 60);
  await setExpiry(list.list_key, '-1 seconds');
  t.like(await shop.page(list.list_key, 1, 1), { status: 404, reason: 'list_unknown' });
});

/** Another node of the same service. */
async function startNode() {
  const node = await startSecondNode(shops.service, shops.deployment);
  return { ...node, authorization: `Bearer ${await requestToken(node.baseUrl, shops.service.admin)}` };
}

/** Normally within a second; without a time limit, because the machine may be busy. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20);
}

test('another node returns pages of the list, and uses items, configurations and events of the first', async (t) => {
  const { shop: here, list, ids } = await makeList();
  const node = await startNode();
  try {
    const there = createShop(node, here.environment);
    const listThere = (rest = {}) => there.list({ configuration_id: any }, rest);
    t.deepEqual(idsOf(await there.page(list.list_key, 1, 10)), ids);
    await here.stock('article', ['new']);
    await until(async () => (await listThere()).includes('new'));
    await here.http.post(`/${here.environment}/items/article/new/disable`);
    await until(async () => !(await listThere()).includes('new'));
    t.false(idsOf(await there.page(list.list_key, 1, 10)).includes('new'));
    const identity = { device_id: newDevice() };
    await here.track({ event_type: 'detail_pageview', action_item: 'a1', ...identity });
    await until(async () => !(await listThere(identity)).includes('a1'));
    const id = await here.configure({ constraints: [{ query: { key: 'item_id', match: { value: 'a7' } } }] });
    const request = { lists: [{ configuration_id: id, list_name: 'l', list_size: 9 }] };
    await until(async () => (await there.ask(request)).status === 200);
    t.deepEqual(idsOf(await there.ask(request)), ['a7']);
  } finally {
    await node.stop();
  }
});

test('a list outlives the node that made it', async (t) => {
  const node = await startNode();
  const shop = shops.open();
  const { list, ids } = await makeList(createShop(node, shop.environment)).finally(node.stop);
  t.deepEqual(idsOf(await shop.page(list.list_key, 1, 10)), ids);
});
