/**
 * Expired items are in no list, search, completion, stored page or audience, but in the catalogue.
 */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);

const past = '2020-01-01T00:00:00Z';
const future = '2999-01-01T00:00:00+01:00';
const device = { device_id: 'anonymous', page_type: 'home' };

type Item = { item_id: string; expiration_datetime?: string };
type Listed = { list_key: string; items: Item[] };
type Lists = { lists: Listed[] };
const idsOf = (items: Item[] = []) => items.map(({ item_id: id }) => id).toSorted();

const put = (itemId: string, item: object) => http.put(`/shop/items/product/${itemId}`, item);
const expire = (itemId: string) => put(itemId, { title: `Fading ${itemId}`, expiration_datetime: past });

async function recommend(extra: object = {}): Promise<Listed> {
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 100, ...extra }];
  const { body } = await http.post<Lists>('/shop/recommendations/requests', {
    ...device,
    device_id: 'd1',
    lists,
  });
  return body.lists[0];
}

async function search(q: string): Promise<Listed | undefined> {
  const { body } = await http.post<Lists>('/shop/searches/requests', { ...device, device_id: 'd1', q });
  return body.lists[0];
}

test.before(async () => {
  await http.put('/configurations/any', {});
  await put('stays', { title: 'Fading stays' });
  await put('lasts', { title: 'Fading lasts', expiration_datetime: future });
  await put('over', { title: 'Fading over', expiration_datetime: past });
});

test.serial('an expired item is in no list, no search and no completion', async (t) => {
  t.deepEqual(idsOf((await recommend()).items), ['lasts', 'stays']);
  t.deepEqual(idsOf((await search('fading'))?.items), ['lasts', 'stays']);
  t.deepEqual(idsOf((await search(''))?.items), ['lasts', 'stays']);
  t.is(await search('over'), undefined);
  const path = '/shop/searches/completions?q=fad&device_id=d1';
  const { body } = await http.get<{ completions: Item[] }>(path);
  t.deepEqual(idsOf(body.completions), ['lasts', 'stays']);
});

test.serial('an expired item cannot be pinned', async (t) => {
  const { items } = await recommend({ list_content: [{ item_id: 'over', item_type: 'product', rank: 1 }] });
  t.deepEqual(idsOf(items), ['lasts', 'stays']);
});

test.serial('explanations report expiry', async (t) => {
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 10 }];
  const asked = { ...device, device_id: 'd1' };
  const whyNot = [{ item_id: 'over', item_type: 'product' }];
  const overRpc = async (rpc: string, request: object) => {
    const url = new URL(`/personalisation.v1.${rpc}`, service.baseUrl);
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: service.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ environment: 'shop', request, why_not: whyNot }),
    });
    return JSON.stringify(await response.json());
  };
  t.regex(await overRpc('RecommendationService/CreateRecommendations', { ...asked, lists }), /"expired"/);
  t.regex(await overRpc('SearchService/CreateSearch', { ...asked, q: 'fading' }), /"expired"/);
});

test.serial('browsing includes expired items, and can filter by them', async (t) => {
  const { body: all } = await http.get<{ items: Item[] }>(
    '/shop/items?text=fading&order_by=expiration_datetime',
  );
  t.deepEqual(
    all.items.map((item) => [item.item_id, item.expiration_datetime]),
    [
      ['over', past],
      ['lasts', future],
      ['stays', undefined],
    ],
  );
  const { body: expired } = await http.get<{ items: Item[] }>('/shop/items?status=expired');
  t.deepEqual(idsOf(expired.items), ['over']);
});

test.serial('an expired item cannot be promoted', async (t) => {
  const audience = {
    audience_name: 'a',
    audience_size: 10,
    integration_type: 'email',
    promotion: [{ id: 'stays' }, { id: 'over' }],
  };
  const { status, pointers } = await http.post('/shop/targeting/audiences/requests', { audience });
  t.is(status, 400);
  t.deepEqual(pointers, ['/audience/promotion/1']);
});

test.serial('a page of an earlier list does not contain items expired since', async (t) => {
  await put('fades', { title: 'Fading fades' });
  const kept = await recommend();
  const found = (await search('fading'))!;
  t.true(idsOf(kept.items).includes('fades') && idsOf(found.items).includes('fades'));
  await expire('fades');
  for (const [room, list] of Object.entries({ recommendations: kept, searches: found })) {
    const { body } = await http.get<Lists>(
      `/shop/${room}/lists?list_key=${list.list_key}&offset=1&limit=100`,
    );
    t.deepEqual(idsOf(body.lists[0].items), ['lasts', 'stays'], room);
  }
});

test.serial('a page does not contain postponed items, unless the request pinned them', async (t) => {
  const postpone = (itemId: string) =>
    put(itemId, { title: `Fading ${itemId}`, publication_datetime: future });
  await put('waits', { title: 'Fading waits' });
  await postpone('early');
  const kept = await recommend({ list_content: [{ item_id: 'early', item_type: 'product', rank: 1 }] });
  const found = (await search('fading'))!;
  t.deepEqual(idsOf(kept.items), ['early', 'lasts', 'stays', 'waits']);
  t.deepEqual(idsOf(found.items), ['lasts', 'stays', 'waits']);
  await postpone('waits');
  const left = { recommendations: ['early', 'lasts', 'stays'], searches: ['lasts', 'stays'] };
  for (const [room, list] of Object.entries({ recommendations: kept, searches: found })) {
    const path = `/shop/${room}/lists?list_key=${list.list_key}&offset=1&limit=100`;
    const { body } = await http.get<Lists>(path);
    t.deepEqual(idsOf(body.lists[0].items), left[room as keyof typeof left], room);
  }
});

test.serial('the latest possible expiration is sorted last and readable, even west of UTC', async (t) => {
  const never = '9999-12-31T23:59:59-05:00';
  await put('never', { title: 'Fading never', expiration_datetime: never });
  await put('nearly', { title: 'Fading nearly', expiration_datetime: '9999-12-31T23:59:59Z' });
  type Timed = { items: Item[] };
  const path = '/shop/items?text=fading&order_by=expiration_datetime%20desc&page_size=2';
  const ordered = (await http.get<Timed>(path)).body.items;
  t.deepEqual(
    ordered.map(({ item_id: id }) => id),
    ['never', 'nearly'],
  );
  const asked = { ...device, q: 'never', fields: ['expiration_datetime'] };
  const { body } = await http.post<{ lists: Timed[] }>('/shop/searches/requests', asked);
  const [{ expiration_datetime: shown }] = body.lists[0].items;
  t.regex(shown!, /^\d{4}-/);
  t.is(Date.parse(shown!), Date.parse(never));
});

for (const moment of ['soon', '2024-01-01', '2024-02-30T00:00:00Z', '2024-01-01T00:00:00']) {
  test(`an expiration ${moment} is refused`, async (t) => {
    const { status, pointers } = await put('wrong', { expiration_datetime: moment });
    t.is(status, 415);
    t.deepEqual(pointers, ['/expiration_datetime']);
  });
}
