/** Pages of a search by offset, which continue the list of the page before. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { requestToken } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';
import { createShop, type Shop, type Shops, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  const filters = '    filter_fields: [brand, rating]';
  shops = await startShops(0, { here: filters, apart: filters, foreign: filters });
});

test.after.always(() => shops?.stop());

type Found = {
  lists: { list_key: string; items: { item_id: string }[] }[];
  total_size: number;
};

const shirt = (place: number, more: object = {}) => ({
  item_id: `s${place}`,
  title: 'Polo shirt',
  brand: 'Aka',
  rating: place,
  ...more,
});

const shirts = Array.from({ length: 9 }, (_, i) => shirt(i + 1));

async function search(shop: Shop, request: object) {
  const body = {
    q: 'polo shirt',
    page_type: 'search',
    device_id: 'd',
    limit: 3,
    list_size: 3,
    order_by: 'rating',
    filter_by: { brand: 'Aka' },
    ...request,
  };
  const { body: found } = await shop.http.post<Found>(`/${shop.environment}/searches/requests`, body);
  const [list] = found.lists;
  return { key: list?.list_key, ids: list?.items.map(({ item_id: id }) => id) ?? [] };
}

/** Another page of the same search, as soon as the node has a change. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20);
}

test('pages by list key neither repeat nor lose items, and leave out items that no longer match', async (t) => {
  const shop = shops.openNamed('here');
  await shop.stock('article', shirts);
  const first = await search(shop, { offset: 1, facets: ['brand'] });
  t.deepEqual(first.ids, ['s1', 's2', 's3']);
  await shop.stock('article', [shirt(9, { rating: 0 }), shirt(5, { brand: 'Bel' })]);
  t.deepEqual((await search(shop, { offset: 4 })).ids, ['s3', 's4', 's6']);
  const second = await search(shop, { offset: 4, list_key: first.key, facets: ['brand'] });
  t.deepEqual(second.ids, ['s9', 's4', 's6']);
  const third = await search(shop, { offset: 7, list_key: second.key });
  t.deepEqual(third.ids, ['s7', 's8']);
  const again = await search(shop, { offset: 4, list_key: third.key });
  t.deepEqual(again.ids, second.ids);
  await shop.stock('article', [shirt(4, { brand: 'Bel' })]);
  t.deepEqual((await search(shop, { offset: 4, list_key: third.key })).ids, ['s9', 's6']);
});

test('another node continues the order of a list', async (t) => {
  const here = shops.openNamed('apart');
  await here.stock('article', shirts);
  const first = await search(here, { offset: 1 });
  const node = await startSecondNode(shops.service, shops.deployment);
  try {
    const authorization = `Bearer ${await requestToken(node.baseUrl, shops.service.admin)}`;
    const there = createShop({ ...node, authorization }, here.environment);
    await here.stock('article', [shirt(1, { rating: 10 })]);
    await until(async () => (await search(there, {})).ids[0] === 's2');
    t.deepEqual((await search(there, { offset: 4 })).ids, ['s5', 's6', 's7']);
    t.deepEqual((await search(there, { offset: 4, list_key: first.key })).ids, ['s4', 's5', 's6']);
  } finally {
    await node.stop();
  }
});

test('the key of another search, or none, is ignored', async (t) => {
  const shop = shops.openNamed('foreign');
  await shop.stock('article', shirts);
  const { key } = await search(shop, { offset: 1 });
  await shop.stock('article', [shirt(9, { rating: 0 })]);
  const present = ['s3', 's4', 's5'];
  for (const other of [{ q: 'shirt' }, { filter_by: { brand: ['Aka', 'Bel'] } }, { list_key: 'x' }])
    t.deepEqual((await search(shop, { offset: 4, list_key: key, ...other })).ids, present);
  t.deepEqual((await search(shop, { offset: 4, list_key: key })).ids, ['s9', 's4', 's5']);
});
