/** Invariants of searches for any catalogue and query, through the whole service. */

import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@connectrpc/connect';
import test from 'ava';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { shopDeployment, startTestService } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';

type Item = {
  item_id: string;
  title: string;
  description?: string;
  language?: string;
  brand?: string;
  price: number;
  colors: string[];
};
type Results = { lists: { list_name: string; items: { item_id: string }[] }[] };

const oddTitles: [title: string, language?: string][] = [
  ['The'],
  ['of the'],
  ['C++'],
  ['❤️'],
  ['500GB'],
  ['17"'],
  ['dv7-1211ea'],
  ['Tränenträger Größe Ödland', 'de'],
  ['Houten stoelen', 'nl'],
  ['無線マウス', 'ja'],
  ['คอมพิวเตอร์', 'th'],
  ['蓝色的灯', 'zh'],
  ['Œuvre complète', 'fr'],
  ["L'été à l'île", 'fr'],
  ['Lamq'],
  ['lamp lamp lamp'],
  ['"quoted" (bracketed) [x] -minus +plus *star'],
  [`many ${Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')}`],
];

const words = ['red', 'blue', 'lamp', 'lamps', 'desk', 'cable', 'note', 'book', 'notebook', 'usb', '500gb'];
const colors = ['red', 'green', 'blue'];

/** The same catalogue in every run: words, prices and colours follow from the number. */
const plainItems = Array.from({ length: 90 }, (_, i): Item => {
  const pick = (step: number) => words[(i * step + Math.floor(i / 7)) % words.length];
  return {
    item_id: `p${i}`,
    title: [pick(3), pick(5), ...(i % 3 ? [pick(8)] : [])].join(' '),
    description: `${pick(2)} beside ${pick(4)}`,
    brand: i % 4 ? `b${i % 4}` : undefined,
    price: i % 5,
    colors: colors.slice(i % 4, (i % 4) + (i % 3)),
  };
});
const oddItems = oddTitles.map(
  ([title, language], i): Item => ({ item_id: `odd${i}`, title, language, price: 1, colors: [] }),
);
const items = [...plainItems, ...oddItems];
const isEnabled = ({ item_id: id }: Item) => !/^p\d*7$/.test(id);

let http: JsonClient;
let rpc: Client<typeof SearchService>;
let startNode: () => ReturnType<typeof startSecondNode>;
let clientOf: (node: { baseUrl: string }) => JsonClient;
const tidy: (() => unknown)[] = [];

test.before(async () => {
  const service = await startTestService({ teardown: (close) => tidy.push(close) });
  http = createJsonClient(service);
  clientOf = ({ baseUrl }) => createJsonClient({ ...service, baseUrl });
  startNode = () => startSecondNode(service, shopDeployment);
  rpc = createClient(SearchService, createAdminTransport(service));
  for (const { item_id: id, ...item } of items) {
    await http.put(`/shop/items/product/${id}`, { ...item, title: `before ${id}` });
    await http.put(`/shop/items/product/${id}`, item);
  }
  for (const item of items.filter((one) => !isEnabled(one)))
    await http.post(`/shop/items/product/${item.item_id}/disable`, undefined);
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

const everything = {
  page_type: 'search',
  device_id: 'anonymous',
  limit: 1000,
  list_size: 1000,
  num_lists: 100,
};

async function search(request: object, client = http): Promise<Results['lists']> {
  const answer = await client.post<Results>('/shop/searches/requests', { ...everything, ...request });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.lists;
}

const idsOf = (lists: Results['lists']) => lists.flatMap((list) => list.items.map(({ item_id: id }) => id));
const find = async (request: object, client?: JsonClient) => idsOf(await search(request, client));

const queries = ['red lamp', 'notebook', 'usb cable desk', 'blue', 'note book', '500 gb', 'lanp', ''];

test('every enabled item is found by its exact title, in the best tier', async (t) => {
  for (const item of items.filter(isEnabled)) {
    const { explanation } = await rpc.createSearch({
      environment: 'shop',
      request: { q: item.title, deviceId: 'anonymous', pageType: 'search', limit: 1000, listSize: 1000 },
      explain: true,
    });
    const hit = explanation!.lists[0]?.items.find(({ itemId }) => itemId === item.item_id);
    t.is(hit?.tier, 'exact_title', `${item.item_id}: ${item.title}`);
  }
});

test('a node with a rebuilt index finds the same as one that followed the writes', async (t) => {
  const node = await startNode();
  t.teardown(node.stop);
  const there = clientOf(node);
  for (const q of [...queries, ...oddTitles.map(([title]) => title)]) {
    const here = (await find({ q })).toSorted();
    t.deepEqual((await find({ q }, there)).toSorted(), here, q);
  }
  await http.put('/shop/items/product/fresh', { title: 'Zeppelin poster', price: 3, colors: [] });
  t.deepEqual(await find({ q: 'zeppelin' }), ['fresh'], 'at once where it was written');
  while ((await find({ q: 'zeppelin' }, there)).length === 0) await delay(50);
  t.deepEqual(await find({ q: 'zeppelin' }, there), ['fresh']);
});

const refused: [name: string, request: object, pointer: string][] = [
  ['no query', { q: undefined }, '/q'],
  ['a query of 10,000 characters', { q: 'x'.repeat(10_000) }, '/q'],
  ['a query with half a character', { q: '\ud800 lamp' }, '/q'],
  ['a query with a NUL', { q: 'lamp\u0000' }, '/q'],
  ['a query that is not text', { q: 7 }, '/q'],
  ['an unknown filter field', { filter_by: { colour: 'red' } }, '/filter_by/colour'],
  [
    'a property that is not declared as a filter',
    { filter_by: { released: '2020-01-01' } },
    '/filter_by/released',
  ],
  ['a filter that is an object', { filter_by: { brand: { not: 'b1' } } }, '/filter_by/brand'],
  ['an unknown field to group by', { group_by: ['colour'] }, '/group_by/0'],
  ['a property to group by that is not returnable', { group_by: ['price'] }, '/group_by/0'],
  ['a negative limit', { limit: -1 }, '/limit'],
  ['a list of 1,000,000,000', { list_size: 1_000_000_000 }, '/list_size'],
  ['no list', { num_lists: 0 }, '/num_lists'],
];

for (const [name, request, pointer] of refused) {
  test(`${name} is refused with a reason`, async (t) => {
    const body = { q: 'lamp', page_type: 'search', device_id: 'd', ...request };
    const answer = await http.post<{ errors?: { pointer: string }[] }>('/shop/searches/requests', body);
    t.is(answer.status, 400);
    t.true(
      answer.body.errors?.some((error) => error.pointer === pointer),
      JSON.stringify(answer.body),
    );
  });
}

const odd: [name: string, q: string][] = [
  ['nothing', ''],
  ['blanks', ' \t\n '],
  ['emoji', '😀🎉'],
  ['control characters', '\u0001\u0002\u001f'],
  ['operators of other engines', 'title:(lamp OR "desk") AND NOT * ~2 ^3'],
  ['markup', "<script>alert(1)</script>%00';--"],
  ['one long word', 'x'.repeat(1_024)],
  [
    'very many misspelt words',
    Array.from({ length: 100 }, (_, i) => `lanpp${String.fromCharCode(97 + (i % 26))}`)
      .join(' ')
      .slice(0, 1_024),
  ],
  ['one word repeated', 'lamp '.repeat(200)],
  ['right to left marks', '\u202elamp\u202c'],
];

for (const [name, q] of odd) {
  test(`${name} as a query or a partial query is answered`, async (t) => {
    t.true(Array.isArray(await search({ q })));
    for (const fuzziness of [0, 2]) {
      const completion = await http.post<{ completions: unknown[] }>('/shop/searches/completions', {
        q,
        fuzziness,
      });
      t.is(completion.status, 200);
      t.true(Array.isArray(completion.body.completions));
    }
  });
}
