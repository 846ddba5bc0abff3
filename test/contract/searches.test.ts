/** Searches and completions: results, order, lists and pages. */

import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

type Item = { item_id: string; type: string; item_type: string; title: string; information_field: string };
type List = {
  list_key: string;
  list_name: string;
  list_size: number;
  limit: number;
  grouped_by: string[];
  items: Item[];
  expires_at?: string;
};
type Results = {
  lists: List[];
  num_lists: number;
  request_id: string;
  auto_suggest?: string;
  perfect_match?: Item;
  user_group: string;
  version: string;
};
type Completion = { completions: Item[]; request_id: number; user_group: string; version: string };

const catalogue = [
  {
    item_id: 'p1',
    title: 'Red running shoes',
    brand: 'Aka',
    price: 80,
    categories: ['Sport/Shoes'],
    colors: ['red'],
  },
  {
    item_id: 'p2',
    title: 'Blue running shoes',
    brand: 'Bel',
    price: 90,
    categories: ['Sport/Shoes'],
    colors: ['blue', 'red'],
  },
  { item_id: 'p3', title: 'Running socks', brand: 'Aka', price: 9, description: 'Socks to wear in shoes.' },
  { item_id: 'p4', title: 'Shoes', brand: 'Cor', price: 30 },
  { item_id: 'p5', title: 'Trail map', description: 'Ways for running.' },
  { item_id: 'dv7-1211ea', title: 'Laptop 17" 500GB', brand: 'Dex' },
  { item_id: 'off', title: 'Running shoes of last year' },
];

let http: JsonClient;
const tidy: (() => unknown)[] = [];

test.before(async () => {
  const service = await startTestService({ teardown: (close) => tidy.push(close) });
  http = createJsonClient(service);
  for (const item of catalogue) await http.put(`/shop/items/product/${item.item_id}`, item);
  await http.post('/shop/items/product/off/disable', undefined);
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

const search = async (request: object): Promise<Results> => {
  const body = { page_type: 'search', device_id: 'd', ...request };
  const answer = await http.post<Results>('/shop/searches/requests', body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};
const find = async (request: object): Promise<string[]> => {
  const { lists } = await search(request);
  return lists.flatMap(({ items }) => items.map((item) => item.item_id));
};

test('an exact title comes first, then items with all words', async (t) => {
  t.is((await find({ q: 'shoes' }))[0], 'p4');
  const found = await find({ q: 'running shoes', limit: 10 });
  t.deepEqual(found.slice(0, 2).toSorted(), ['p1', 'p2']);
  t.true(found.includes('p3'));
});

test('a disabled item is not found, an enabled one is again', async (t) => {
  t.false((await find({ q: 'last year', limit: 10 })).includes('off'));
  await http.put('/shop/items/product/now', { title: 'Zeppelin poster' });
  t.deepEqual(await find({ q: 'zeppelin' }), ['now']);
});

test('an item has its type twice, its title and the information field', async (t) => {
  const { lists } = await search({ q: 'socks' });
  t.deepEqual(lists[0].items[0], {
    item_id: 'p3',
    type: 'product',
    information_field: 'Aka',
    item_type: 'product',
    title: 'Running socks',
  });
});

test('filters accept one value, or any of several', async (t) => {
  t.deepEqual(await find({ q: 'running shoes', filter_by: { brand: 'Bel' }, limit: 9 }), ['p2']);
  const both = await find({ q: 'running', filter_by: { brand: ['Aka', 'Bel'] }, limit: 9 });
  t.deepEqual(both.toSorted(), ['p1', 'p2', 'p3']);
  const below = await find({ q: 'shoes', filter_by: { categories: 'Sport' }, limit: 9 });
  t.deepEqual(below.toSorted(), ['p1', 'p2']);
});

test('group_by makes a list for each value, and an item with several values is in each', async (t) => {
  const { lists } = await search({ q: 'running shoes', group_by: ['colors'] });
  const byName = new Map(lists.map((list) => [list.list_name, list.items.map((item) => item.item_id)]));
  t.true(byName.get('colors: red')!.includes('p2'));
  t.deepEqual(byName.get('colors: blue'), ['p2']);
  t.deepEqual(lists.find((list) => list.list_name === 'colors: blue')!.grouped_by, ['blue']);
});

test('a misspelt query is corrected and reported, unless the caller forbids it', async (t) => {
  const corrected = await search({ q: 'runing shoos' });
  t.is(corrected.auto_suggest, 'running shoes');
  const literal = await search({ q: 'runing shoos', autocorrect: false });
  t.is(literal.auto_suggest, undefined);
  t.is((await search({ q: 'running shoes' })).auto_suggest, undefined);
});

test('a code is found literally, and is a perfect match', async (t) => {
  t.is(
    (await search({ q: 'DV7-1211EA' })).perfect_match?.item_id ??
      (await search({ q: 'dv7-1211ea' })).perfect_match?.item_id,
    'dv7-1211ea',
  );
  t.is((await search({ q: 'red  running shoes' })).perfect_match?.item_id, 'p1');
  t.is((await search({ q: 'running' })).perfect_match, undefined);
});

test('an empty query browses', async (t) => {
  const { lists } = await search({ q: '', limit: 3 });
  t.is(lists[0].items.length, 3);
  t.true(lists[0].list_size >= 6);
});

test('limit, list_size and num_lists bound the returned and stored items', async (t) => {
  const { lists, num_lists } = await search({ q: 'running shoes', limit: 1, list_size: 2, num_lists: 3 });
  t.is(num_lists, 3);
  t.like(lists[0], { limit: 1, list_size: 2 });
  t.is(lists[0].items.length, 1);
});

test('a list is paged by its key, past the end without items, and not as a recommendation list', async (t) => {
  const { lists, request_id } = await search({ q: 'running shoes', limit: 1 });
  const page = (offset: number, limit: number, kind = 'searches') =>
    http.get<Results>(`/shop/${kind}/lists?list_key=${lists[0].list_key}&offset=${offset}&limit=${limit}`);
  const second = await page(2, 1);
  t.is(second.body.request_id, request_id);
  t.like(second.body.lists[0], { list_size: lists[0].list_size, limit: 1 });
  t.not(second.body.lists[0].items[0].item_id, lists[0].items[0].item_id);
  t.deepEqual((await page(50, 1)).body.lists[0].items, []);
  t.is((await page(0, 1)).status, 400);
  t.is((await page(1, 1, 'recommendations')).status, 404);
});

test('a list and its pages have an expiry time', async (t) => {
  const { lists } = await search({ q: 'running shoes' });
  const until = Date.parse(lists[0].expires_at!);
  t.true(until > Date.now());
  const { body } = await http.get<Results>(
    `/shop/searches/lists?list_key=${lists[0].list_key}&offset=1&limit=1`,
  );
  t.true(Date.parse(body.lists[0].expires_at!) >= until);
});

test('completions have all typed words, the last one as a prefix', async (t) => {
  const complete = async (q: string) =>
    (await http.get<Completion>(`/shop/searches/completions?q=${encodeURIComponent(q)}`)).body;
  const { completions, request_id } = await complete('run sho');
  t.deepEqual(
    completions.map(({ item_id }) => item_id),
    [],
  );
  const prefix = await complete('running sho');
  t.deepEqual(prefix.completions.map(({ item_id }) => item_id).toSorted(), ['p1', 'p2']);
  t.true(Number.isSafeInteger(request_id));
  t.not(request_id, prefix.request_id);
});

test('completions accept the requested number of edits, and filter', async (t) => {
  const complete = async (request: object) =>
    (await http.post<Completion>('/shop/searches/completions', request)).body.completions.map(
      ({ item_id }) => item_id,
    );
  t.deepEqual(await complete({ q: 'rvnning' }), []);
  t.true((await complete({ q: 'rvnning', fuzziness: 1 })).includes('p3'));
  t.deepEqual(await complete({ q: 'running', filter_by: { brand: 'Bel' } }), ['p2']);
});

const oddQueries: [string, string][] = [
  ['emoji only', '😀😀'],
  ['control characters', '\u0001\u0002'],
  ['1,024 characters', 'a '.repeat(512)],
  ['punctuation', '"*(-+~'],
];

for (const [title, q] of oddQueries) {
  test(`${title} gives no error`, async (t) => {
    t.true(Array.isArray((await search({ q })).lists));
  });
}

test('a query of 10,000 characters, negative limits and huge sizes are refused', async (t) => {
  const body = { page_type: 'search', device_id: 'd', q: 'x' };
  for (const fault of [
    { q: 'x'.repeat(10_000) },
    { limit: -1 },
    { list_size: 1e9 },
    { num_lists: 0 },
    { filter_by: { brand: {} } },
  ]) {
    t.is((await http.post('/shop/searches/requests', { ...body, ...fault })).status, 400);
  }
});
