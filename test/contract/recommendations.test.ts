/** Contents of lists: sizes, repetitions, exclusions, injected items. */

import test from 'ava';
import type { Operation } from './support/operation.ts';
import {
  createTransports,
  type Expected,
  isAnsweredEverywhere,
  type Transports,
} from './support/same-answer.ts';
import {
  type Document,
  idsOf,
  newDevice,
  type Shop,
  type Shops,
  series,
  startShops,
  where,
} from './support/shops.ts';

const tidy: (() => void | Promise<void>)[] = [];
let shops: Shops;
let transports: Transports;
let any: string;

test.before(async () => {
  shops = await startShops(26);
  any = await shops.openNamed('shop-0').configure({ constraints: [] });
  transports = createTransports({ teardown: (close) => tidy.push(close) }, shops.service);
  tidy.push(shops.stop);
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

/** A public shop with the given number of articles, `a1` … */
const stocked = async (count: number): Promise<Shop> => {
  const shop = shops.open();
  await shop.stock('article', series('a', count));
  return shop;
};

const sorted = (ids: string[]) => ids.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));

test('a list has each item once, up to the size of the catalogue', async (t) => {
  const shop = await stocked(12);
  t.deepEqual(sorted(await shop.list({ configuration_id: any })), series('a', 12));
  t.is((await shop.list({ configuration_id: any, list_size: 5 })).length, 5);
});

test('list_size is the length of the list, limit the number of returned items', async (t) => {
  const shop = await stocked(12);
  const answer = await shop.ask({
    lists: [
      { configuration_id: any, list_name: 'cut', list_size: 10, limit: 4 },
      { configuration_id: any, list_name: 'none', list_size: 2, limit: 0 },
      { configuration_id: any, list_name: 'more than there are', list_size: 50, allow_duplicates: true },
    ],
  });
  t.deepEqual(
    answer.body.lists.map(({ list_name, list_size, limit, items }) => [
      list_name,
      list_size,
      limit,
      items.length,
    ]),
    [
      ['cut', 10, 4, 4],
      ['none', 2, 0, 0],
      ['more than there are', 12, 12, 12],
    ],
  );
  t.deepEqual(
    answer.body.lists[0].items.map(({ rank }) => rank),
    [1, 2, 3, 4],
  );
});

test('no item is in two lists of a request', async (t) => {
  const shop = await stocked(12);
  const lists = ['x', 'y', 'z'].map((name) => ({ configuration_id: any, list_name: name, list_size: 4 }));
  const answer = await shop.ask({ lists });
  t.deepEqual(sorted([0, 1, 2].flatMap((i) => idsOf(answer, i))), series('a', 12));
});

test('items beyond the limit of a list are in no other list either', async (t) => {
  const shop = await stocked(8);
  const answer = await shop.ask({
    lists: [
      { configuration_id: any, list_name: 'x', list_size: 4, limit: 1 },
      { configuration_id: any, list_name: 'y', list_size: 4 },
    ],
  });
  const whole = await shop.page(answer.body.lists[0].list_key, 1, 10);
  t.deepEqual(sorted([...idsOf(whole), ...idsOf(answer, 1)]), series('a', 8));
});

test('allow_duplicates: a list may repeat items of the others, which then do not repeat its own', async (t) => {
  const shop = await stocked(6);
  const answer = await shop.ask({
    lists: [
      { configuration_id: any, list_name: 'x', list_size: 3 },
      { configuration_id: any, list_name: 'y', list_size: 3, allow_duplicates: true },
    ],
  });
  t.deepEqual(idsOf(answer, 0), idsOf(answer, 1));
});

test('if the catalogue has too few items, a list repeats only the missing number', async (t) => {
  const shop = await stocked(6);
  const answer = await shop.ask({
    lists: [
      { configuration_id: any, list_name: 'x', list_size: 4 },
      { configuration_id: any, list_name: 'y', list_size: 4 },
    ],
  });
  const [first, second] = [idsOf(answer, 0), idsOf(answer, 1)];
  t.is(new Set(second).size, 4);
  t.is(new Set([...first, ...second]).size, 6);
});

const exclusions: [title: string, itemType: string, request: Document, excluded: boolean][] = [
  ['the context item', 'article', { context_item: 'x' }, true],
  ['the context item of its type', 'article', { context_item: 'x', context_item_type: 'article' }, true],
  [
    'not the item of another type with the id',
    'article',
    { context_item: 'x', context_item_type: 'toy' },
    false,
  ],
  ['an item of a history', 'video', { histories: { seen: [{ id: 'x' }] } }, true],
  [
    'an item of a history that is not reconsumable',
    'video',
    { histories: { seen: [{ id: 'x', reconsumable: false }] } },
    true,
  ],
  [
    'not a reconsumable item of a history',
    'video',
    { histories: { seen: [{ id: 'x', reconsumable: true }] } },
    false,
  ],
  [
    'an item that one of two histories forbids',
    'video',
    { histories: { a: [{ id: 'x', reconsumable: true }], b: [{ id: 'x' }] } },
    true,
  ],
  ['not an unknown id of a history', 'video', { histories: { seen: [{ id: 'y' }] } }, false],
];

for (const [title, itemType, request, excluded] of exclusions) {
  test(`left out: ${title}`, async (t) => {
    const shop = shops.open();
    await shop.stock(itemType, ['x', 'other']);
    const ids = await shop.list({ configuration_id: any }, request);
    t.deepEqual(sorted(ids), excluded ? ['other'] : ['other', 'x']);
  });
}

const consumptions: [itemType: string, eventType: string, consumed: boolean][] = [
  ['article', 'detail_pageview', true],
  ['article', 'checkpoint', true],
  ['article', 'click_on_recommendation', false],
  ['product', 'detail_pageview', false],
  ['product', 'add_to_cart', false],
  ['product', 'purchase', true],
  ['toy', 'detail_pageview', false],
  ['toy', 'purchase', false],
  ['toy', 'item_interaction', true],
  ['video', 'detail_pageview', false],
  ['video', 'purchase', false],
];

test('consumed items are left out, by the type of item and event', async (t) => {
  const shop = shops.open();
  for (const [itemType, eventType, consumed] of consumptions) {
    const [id, user] = [`${itemType} ${eventType}`, newDevice()];
    await shop.stock(itemType, [id]);
    const rest = { interaction_type: 'like', list_name: 'l', request_id: 'r', user_group: 'g' };
    await shop.track({ event_type: eventType, user_id: user, action_item: id, ...rest });
    const ids = await shop.list({ configuration_id: any }, { user_id: user });
    t.is(!ids.includes(id), consumed, id);
  }
});

test('an item is left out before its publication', async (t) => {
  const shop = shops.open();
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await shop.stock('article', [
    { item_id: 'past', publication_datetime: at(-1) },
    { item_id: 'future', publication_datetime: at(1) },
  ]);
  t.deepEqual(await shop.list({ configuration_id: any }), ['past']);
});

test('an item has the information field of its environment', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [{ item_id: 'x', brand: 'Ö & Co' }]);
  await shop.stock('video', ['y']);
  const { body } = await shop.ask({ lists: [{ configuration_id: any, list_name: 'l', list_size: 2 }] });
  const shown = Object.fromEntries(body.lists[0].items.map(({ item_id: id, ...item }) => [id, item]));
  t.is(shown.x.information_field, 'Ö & Co');
  t.false('information_field' in shown.y);
});

test('injected items are at their ranks, once, even if consumed', async (t) => {
  const shop = await stocked(6);
  const ids = await shop.list(
    {
      configuration_id: any,
      list_size: 5,
      list_content: [
        { item_id: 'a1', rank: 4 },
        { item_id: 'a2', rank: 1, item_type: 'article' },
      ],
    },
    { context_item: 'a1' },
  );
  t.is(ids.length, 5);
  t.is(ids[0], 'a2');
  t.is(ids[3], 'a1');
  t.is(new Set(ids).size, 5);
});

test('an injected item unknown to the catalogue is placed as given', async (t) => {
  const shop = await stocked(3);
  const content = [{ item_id: 'from elsewhere', rank: 2, item_type: 'advert' }];
  const ids = await shop.list({ configuration_id: any, list_size: 3, list_content: content });
  t.is(ids[1], 'from elsewhere');
  t.is(ids.length, 3);
});

test('a disabled injected item is dropped, and its rank filled', async (t) => {
  const shop = await stocked(4);
  await shop.http.post(`/${shop.environment}/items/article/a1/disable`);
  const content = [{ item_id: 'a1', rank: 1 }];
  const { body } = await shop.ask({
    lists: [{ configuration_id: any, list_name: 'l', list_size: 3, list_content: content }],
  });
  t.deepEqual(
    body.lists[0].items.map(({ rank }) => rank),
    [1, 2, 3],
  );
  t.false(body.lists[0].items.some(({ item_id: id }) => id === 'a1'));
});

test('injected items count in quotas, and are not removed by them', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [
    ...series('r', 4).map((id) => ({ item_id: id, brand: 'red' })),
    ...series('b', 4).map((id) => ({ item_id: id, brand: 'blue' })),
  ]);
  const atMostTwoRed = await shop.configure({
    constraints: [{ query: where('brand', 'red'), limit: { max: 2 } }],
  });
  const list = { configuration_id: atMostTwoRed, list_size: 6 };
  const inject = (...ids: string[]) => ids.map((id, i) => ({ item_id: id, rank: i + 1 }));
  const red = (ids: string[]) => ids.filter((id) => id.startsWith('r')).length;
  t.is(red(await shop.list({ ...list, list_content: inject('r4') })), 2);
  const overfull = await shop.list({ ...list, list_content: inject('r1', 'r2', 'r3') });
  t.deepEqual(sorted(overfull.slice(0, 3)), ['r1', 'r2', 'r3']);
  t.is(red(overfull), 3);
});

test('an injected item is in no other list', async (t) => {
  const shop = await stocked(4);
  const answer = await shop.ask({
    lists: [
      { configuration_id: any, list_name: 'x', list_size: 2 },
      { configuration_id: any, list_name: 'y', list_size: 2, list_content: [{ item_id: 'a1', rank: 2 }] },
    ],
  });
  t.is(idsOf(answer, 1)[1], 'a1');
  t.false(idsOf(answer, 0).includes('a1'));
});

test('an item is recommended once stored, and not once disabled', async (t) => {
  const shop = await stocked(2);
  await shop.stock('article', ['new']);
  t.true((await shop.list({ configuration_id: any })).includes('new'));
  await shop.http.send('DELETE', `/${shop.environment}/items/article/new`);
  t.false((await shop.list({ configuration_id: any })).includes('new'));
  await shop.http.post(`/${shop.environment}/items/article/new/enable`);
  t.true((await shop.list({ configuration_id: any })).includes('new'));
});

const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());

const rpcForm = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rpcForm);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), rpcForm(inner)]));
};

const request = (rest: Document): Document => ({
  device_id: 'd',
  page_type: 'home',
  lists: [list()],
  ...rest,
});
const list = (rest: Document = {}): Document => ({
  configuration_id: '*',
  list_name: 'l',
  list_size: 2,
  ...rest,
});
const refusal = (...pointers: string[]): Expected => ({ status: 400, reason: 'body_invalid', pointers });
const histories = (count: number) => ({ seen: Array.from({ length: count }, (_, i) => ({ id: `${i}` })) });
const content = (...entries: [id: string, rank: number][]) =>
  list({ list_content: entries.map(([item_id, rank]) => ({ item_id, rank })) });

const requests: [title: string, body: Document, expected: Expected][] = [
  ['only required fields', request({}), { status: 200 }],
  ['no device', request({ device_id: '' }), refusal('/device_id')],
  ['no page type', request({ page_type: '' }), refusal('/page_type')],
  ['no lists', request({ lists: [] }), refusal('/lists')],
  ['101 lists', request({ lists: Array.from({ length: 101 }, () => list()) }), refusal('/lists')],
  ['two lists of one name', request({ lists: [list(), list()] }), refusal('/lists/1/list_name')],
  ['list_size 0', request({ lists: [list({ list_size: 0 })] }), refusal('/lists/0/list_size')],
  ['list_size 1,000', request({ lists: [list({ list_size: 1000 })] }), { status: 200 }],
  ['list_size 1,001', request({ lists: [list({ list_size: 1001 })] }), refusal('/lists/0/list_size')],
  ['limit 0', request({ lists: [list({ limit: 0 })] }), { status: 200 }],
  ['limit -1', request({ lists: [list({ limit: -1 })] }), refusal('/lists/0/limit')],
  ['limit above list_size', request({ lists: [list({ limit: 3 })] }), refusal('/lists/0/limit')],
  ['an unnamed list', request({ lists: [list({ list_name: '' })] }), refusal('/lists/0/list_name')],
  ['50 entries in a history', request({ histories: histories(50) }), { status: 200 }],
  ['51 entries in a history', request({ histories: histories(51) }), refusal('/histories/seen')],
  [
    'a history entry without id',
    request({ histories: { seen: [{ id: '' }] } }),
    refusal('/histories/seen/0/id'),
  ],
  [
    'an injected rank above list_size',
    request({ lists: [content(['x', 3])] }),
    refusal('/lists/0/list_content/0/rank'),
  ],
  ['an injected rank 0', request({ lists: [content(['x', 0])] }), refusal('/lists/0/list_content/0/rank')],
  [
    'a duplicate injected rank',
    request({ lists: [content(['x', 1], ['y', 1])] }),
    refusal('/lists/0/list_content/1/rank'),
  ],
  [
    'a duplicate injected id',
    request({ lists: [content(['x', 1], ['x', 2])] }),
    refusal('/lists/0/list_content/1/item_id'),
  ],
  [
    'an injected id with and without its type',
    request({
      lists: [
        list({
          list_content: [
            { item_id: 'x', rank: 1, item_type: 'article' },
            { item_id: 'x', rank: 2 },
          ],
        }),
      ],
    }),
    refusal('/lists/0/list_content/1/item_id'),
  ],
  [
    'one injected id of two types',
    request({
      lists: [
        list({
          list_content: [
            { item_id: 'x', rank: 1, item_type: 'article' },
            { item_id: 'x', rank: 2, item_type: 'video' },
          ],
        }),
      ],
    }),
    { status: 200 },
  ],
  ['timeout_ms 0', request({ timeout_ms: 0 }), refusal('/timeout_ms')],
  ['timeout_ms above a minute', request({ timeout_ms: 60_001 }), refusal('/timeout_ms')],
  ['an unknown pin of the group', request({ user_group: 'vip' }), refusal('/user_group')],
  ['an unknown pin of the version', request({ version: 'Z' }), refusal('/version')],
  [
    'an unknown configuration',
    request({ lists: [list({ configuration_id: 'nobody knows it' })] }),
    { status: 404, reason: 'configuration_unknown' },
  ],
];

for (const [title, body, expected] of requests) {
  test(`the same answer over every transport: ${title}`, (t) => {
    const named = JSON.parse(JSON.stringify(body).replaceAll('"*"', JSON.stringify(any)));
    const operation: Operation = {
      rpc: 'RecommendationService/CreateRecommendations',
      method: 'POST',
      path: '/shop-0/recommendations/requests',
      body: named,
      message: { environment: 'shop-0', request: rpcRequest(named) } as Operation['message'],
    };
    return isAnsweredEverywhere(t, transports, operation, expected);
  });
}

/** Histories are messages in rpcs, and bare arrays in the documented JSON. */
function rpcRequest({ histories: given, ...rest }: Document): unknown {
  const wrapped = Object.entries((given ?? {}) as Document).map(([name, items]) => [name, { items }]);
  return rpcForm({ ...rest, histories: Object.fromEntries(wrapped) });
}
