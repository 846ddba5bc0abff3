/** Variants and episodes: lists, searches and completions show one item of a group and its size. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: site
    item_types:
      - name: product
        properties:
          - { name: color, type: string, filterable: true, returnable: true }
      - name: episode
        group_order: [season, number]
        properties:
          - { name: season, type: number }
          - { name: number, type: number }
`);
const http = createJsonClient(service);

type Item = { item_id: string; item_type?: string; group_size?: number; group_id?: string };
type Listed = { list_key: string; list_name: string; list_size: number; items: Item[] };
type Lists = {
  lists: Listed[];
  total_size?: number;
  facets?: { values: { value: string; count: number }[] }[];
};
const idsOf = (items: Item[] = []) => items.map(({ item_id: id }) => id);
const groupOf = (id: string) => id.split('-')[0];

const put = (type: string, itemId: string, item: object) => http.put(`/site/items/${type}/${itemId}`, item);

type Asking = { device?: string; request?: object; list?: object };

async function recommend({ device = 'd1', request, list }: Asking = {}): Promise<Listed> {
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 100, ...list }];
  const body = { device_id: device, page_type: 'home', lists, ...request };
  const answer = await http.post<Lists>('/site/recommendations/requests', body);
  return answer.body.lists[0];
}

async function search(q: string, extra: object = {}): Promise<Lists> {
  const body = { device_id: 'd1', page_type: 'search', q, list_size: 100, limit: 100, ...extra };
  return (await http.post<Lists>('/site/searches/requests', body)).body;
}

const watch = (device: string, itemId: string) =>
  http.post('/site/events', {
    events: [
      {
        event_type: 'detail_pageview',
        device_id: device,
        page_type: 'detail',
        action_item: itemId,
        action_item_type: 'episode',
      },
    ],
  });

const colors = ['red', 'green', 'blue'];

test.before(async () => {
  await http.put('/configurations/any', {});
  await http.put('/configurations/two', {
    constraints: [{ diversify: { key: 'group_id' }, limit: { max: 2 } }],
  });
  await http.put('/configurations/blue', {
    constraints: [{ query: { key: 'color', match: { value: 'blue' } }, limit: { min: 2 } }],
  });
  for (const product of ['shirt', 'scarf'])
    for (const color of colors)
      await put('product', `${product}-${color}`, { title: `${product} warm`, color, group_id: product });
  await put('product', 'mug', { title: 'mug warm', color: 'red' });
  for (const number of [3, 1, 2, 4])
    await put('episode', `dark-${number}`, { title: 'Dark nights', season: 1, number, group_id: 'dark' });
});

test.serial('a list shows one item of a group, and its size', async (t) => {
  const { items } = await recommend();
  t.deepEqual(idsOf(items).map(groupOf).toSorted(), ['dark', 'mug', 'scarf', 'shirt']);
  const sizes = Object.fromEntries(items.map((item) => [groupOf(item.item_id), item.group_size]));
  t.deepEqual(sizes, { shirt: 3, scarf: 3, mug: undefined, dark: 4 });
});

test.serial('pages of a stored list never show a group twice', async (t) => {
  const { list_key: key } = await recommend({ list: { limit: 1 } });
  const path = `/site/recommendations/lists?list_key=${key}`;
  const { body } = await http.get<Lists>(`${path}&offset=2&limit=100`);
  const { body: first } = await http.get<Lists>(`${path}&offset=1&limit=1`);
  const items = [...first.lists[0].items, ...body.lists[0].items];
  t.deepEqual(idsOf(items).map(groupOf).toSorted(), ['dark', 'mug', 'scarf', 'shirt']);
  t.is(items.find(({ item_id: id }) => id.startsWith('shirt'))!.group_size, 3);
});

test.serial('the item of a group is chosen within the rules of the list', async (t) => {
  const { items } = await recommend({ list: { configuration_id: 'blue' } });
  t.true(idsOf(items).includes('shirt-blue'));
  t.true(idsOf(items).includes('scarf-blue'));
  t.is(items.length, 4);
});

test.serial('a configuration that diversifies by group sets the number of items per group', async (t) => {
  const { items } = await recommend({ list: { configuration_id: 'two' } });
  const counts = Map.groupBy(idsOf(items), groupOf);
  t.deepEqual(
    ['shirt', 'scarf', 'dark', 'mug'].map((group) => counts.get(group)?.length),
    [2, 2, 2, 1],
  );
});

test.serial('two lists of a request share no group, and an injected item represents its group', async (t) => {
  const list = { configuration_id: 'any', list_size: 2 };
  const lists = ['a', 'b'].map((name) => ({ ...list, list_name: name }));
  lists[0] = { ...lists[0], ...{ list_content: [{ item_id: 'shirt-green', rank: 1 }] } };
  const body = { device_id: 'd1', page_type: 'home', lists };
  const answer = await http.post<Lists>('/site/recommendations/requests', body);
  const ids = answer.body.lists.flatMap(({ items }) => idsOf(items));
  t.is(ids[0], 'shirt-green');
  t.deepEqual(ids.map(groupOf).toSorted(), ['dark', 'mug', 'scarf', 'shirt']);
});

test.serial('no other item of the context item’s group is recommended', async (t) => {
  const { items } = await recommend({ request: { context_item: 'shirt-red' } });
  t.deepEqual(idsOf(items).map(groupOf).toSorted(), ['dark', 'mug', 'scarf']);
});

test.serial('a subject that bought a variant gets no other of its group', async (t) => {
  const bought = { event_type: 'purchase', device_id: 'buyer', action_item: 'shirt-red' };
  await http.post('/site/events', { events: [bought] });
  const { items } = await recommend({ device: 'buyer' });
  t.deepEqual(idsOf(items).map(groupOf).toSorted(), ['dark', 'mug', 'scarf']);
});

test.serial('an ID without a type means the items with that ID in all types', async (t) => {
  await put('episode', 'mug', { title: 'The mug', season: 1, number: 1 });
  const shown = async (request: object) =>
    (await recommend({ request })).items.flatMap(({ item_id: id, item_type }) =>
      id === 'mug' ? [item_type] : [],
    );
  t.deepEqual((await shown({})).toSorted(), ['episode', 'product']);
  t.deepEqual(await shown({ context_item: 'mug' }), []);
  t.deepEqual(await shown({ histories: { seen: [{ id: 'mug' }] } }), []);
  t.deepEqual(await shown({ context_item: 'mug', context_item_type: 'product' }), ['episode']);
  await http.send('DELETE', '/site/items/episode/mug');
});

const episodeFor = async (asking: Asking) =>
  idsOf((await recommend(asking)).items).find((id) => id.startsWith('dark'));

test.serial('the list has the episode after the last one watched, or else the first', async (t) => {
  t.is(await episodeFor({ device: 'new' }), 'dark-1');
  await watch('viewer', 'dark-2');
  t.is(await episodeFor({ device: 'viewer' }), 'dark-3');
  await watch('viewer', 'dark-4');
  t.is(await episodeFor({ device: 'viewer' }), 'dark-1', 'behind the last comes the first that is left');
  const histories = { watched: [{ id: 'dark-1' }] };
  t.is(await episodeFor({ device: 'new', request: { histories } }), 'dark-2');
});

test.serial('the list has the episode after the one on display', async (t) => {
  t.is(await episodeFor({ device: 'new', request: { context_item: 'dark-3' } }), 'dark-4');
});

test.serial('a search shows one item of a group, and a query for a variant shows this one', async (t) => {
  const { lists } = await search('warm');
  t.deepEqual(idsOf(lists[0].items).map(groupOf).toSorted(), ['mug', 'scarf', 'shirt']);
  t.is(lists[0].items.find(({ item_id: id }) => id.startsWith('scarf'))!.group_size, 3);
  const { lists: dark } = await search('dark', { device_id: 'new' });
  t.deepEqual(idsOf(dark[0].items), ['dark-1']);
  await watch('finder', 'dark-1');
  const { lists: next } = await search('dark', { device_id: 'finder' });
  t.deepEqual(idsOf(next[0].items), ['dark-2']);
});

test.serial('a search continues a series watched long before the latest events', async (t) => {
  const of = { device_id: 'long', page_type: 'detail', action_item_type: 'episode' };
  const ids = ['dark-2', ...Array.from({ length: 700 }, (_, i) => `other-${i}`)];
  const events = ids.map((id, second) => ({
    ...{ ...of, event_type: 'detail_pageview', action_item: id },
    timestamp: 1_700_000_000 + second,
  }));
  t.is((await http.post('/site/events', { events })).status, 200);
  t.is((await http.get('/metrics/pageviews')).status, 200);
  t.is(await episodeFor({ device: 'long' }), 'dark-3');
  const { lists } = await search('dark', { device_id: 'long' });
  t.deepEqual(idsOf(lists[0].items), ['dark-3']);
});

test.serial('facets, totals and pages of a search count a group once', async (t) => {
  const { facets, total_size: total } = await search('warm', { facets: ['color'] });
  t.is(total, 3);
  const counts = Object.fromEntries(facets![0].values.map(({ value, count }) => [value, count]));
  t.deepEqual(counts, { red: 3, green: 2, blue: 2 });
  const pages = await Promise.all([1, 2, 3].map((offset) => search('warm', { offset, list_size: 1 })));
  const ids = pages.flatMap(({ lists }) => idsOf(lists[0].items));
  t.deepEqual(ids.map(groupOf).toSorted(), ['mug', 'scarf', 'shirt']);
  const { lists } = await search('warm', { facet_filters: { color: ['green'] }, facets: ['color'] });
  t.deepEqual(idsOf(lists[0].items).toSorted(), ['scarf-green', 'shirt-green']);
});

test.serial('each list of a grouped search shows one item of a group', async (t) => {
  const { lists } = await search('warm', { group_by: ['color'] });
  const byName = Object.fromEntries(lists.map((list) => [list.list_name, idsOf(list.items).toSorted()]));
  t.deepEqual(byName, {
    'color: red': ['mug', 'scarf-red', 'shirt-red'],
    'color: green': ['scarf-green', 'shirt-green'],
    'color: blue': ['scarf-blue', 'shirt-blue'],
  });
});

test.serial('completions show one item of a group', async (t) => {
  const { body } = await http.get<{ completions: Item[] }>('/site/searches/completions?q=war&device_id=d1');
  t.deepEqual(idsOf(body.completions).map(groupOf).toSorted(), ['mug', 'scarf', 'shirt']);
});

test.serial('explanations name the item that represents the group', async (t) => {
  const whyNot = [{ item_id: 'dark-4' }, ...colors.map((color) => ({ item_id: `shirt-${color}` }))];
  const ask = async (rpc: string, request: object) => {
    const response = await fetch(new URL(`/personalisation.v1.${rpc}`, service.baseUrl), {
      method: 'POST',
      headers: { authorization: service.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ environment: 'site', request, why_not: whyNot }),
    });
    return JSON.stringify(await response.json());
  };
  const asked = { device_id: 'new', page_type: 'home' };
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 10 }];
  const listed = await ask('RecommendationService/CreateRecommendations', { ...asked, lists });
  t.regex(listed, /"not_next"/);
  t.is(listed.match(/"in_group"/g)?.length, 2);
  t.notRegex(listed, /onstraintIndexes":\[/, 'no rule of the configuration is named');
  t.is((await ask('SearchService/CreateSearch', { ...asked, q: 'shirt' })).match(/"in_group"/g)?.length, 2);
});

test.serial('the group of an item can be patched and browsed', async (t) => {
  await put('product', 'hat-a', { title: 'hat a', group_id: 'hat' });
  await put('product', 'hat-b', { title: 'hat b' });
  t.is((await search('hat')).lists[0].items.length, 2);
  await http.send('PATCH', '/site/items/product/hat-b', { group_id: 'hat' });
  const filter = encodeURIComponent(JSON.stringify({ key: 'group_id', match: { value: 'hat' } }));
  const { body } = await http.get<{ items: Item[] }>(`/site/items?filter=${filter}`);
  t.deepEqual(idsOf(body.items), ['hat-a', 'hat-b']);
  t.is((await search('hat')).lists[0].items.length, 1);
  await http.send('DELETE', '/site/items/product/hat-a');
  t.deepEqual((await search('hat')).lists[0].items[0], {
    ...(await search('hat')).lists[0].items[0],
    item_id: 'hat-b',
    group_size: 1,
  });
  await http.send('DELETE', '/site/items/product/hat-b');
});
