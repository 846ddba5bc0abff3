/** Queries among completions: one's own recent ones, which nobody else sees, and those that many different people asked. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
    query_completions: { recent: 2, popular: 2, least_people: 3 }
  - name: news
    item_types: [ { name: product } ]
`;

type Completions = { completions: { item_id: string }[]; queries?: { query: string; kind: string }[] };
type Who = { user_id?: string; device_id?: string };

let service: TestService;
let http: JsonClient;
let visitor: JsonClient;
const tidy: (() => unknown)[] = [];

test.before(async () => {
  service = await startTestService({ teardown: (close) => tidy.push(close) }, deployment);
  http = createJsonClient(service);
  visitor = createJsonClient({ baseUrl: service.baseUrl, authorization: '' });
  for (const title of ['Brass lantern', 'Brass bell', 'Bread knife', 'Bronze bowl', 'Copper kettle'])
    for (const environment of ['shop', 'news'])
      await http.put(`/${environment}/items/product/${title.replace(' ', '-')}`, { title });
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

async function search(q: string, who: Who & { do_not_store?: boolean }, environment = 'shop'): Promise<void> {
  const body = { q, page_type: 'search', device_id: 'anonymous', ...who };
  const answer = await visitor.post(`/${environment}/searches/requests`, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

async function complete(q: string, who: Who, client = visitor, environment = 'shop'): Promise<Completions> {
  const answer = await client.post<Completions>(`/${environment}/searches/completions`, { q, ...who });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Recent ones; popular ones are of all tests together. */
async function recent(q: string, who: Who, client = visitor): Promise<string[]> {
  const { queries = [] } = await complete(q, who, client);
  return queries.filter(({ kind }) => kind === 'recent').map(({ query }) => query);
}

test('what a device searched for completes, the latest first, as it was typed', async (t) => {
  const who = { device_id: 'own' };
  for (const q of ['Brass  Lantern', 'brass bell', 'copper kettle', 'Brass Lantern']) await search(q, who);
  t.deepEqual(await recent('BRÄSS', who), ['Brass Lantern', 'brass bell']);
  t.deepEqual(await recent('brass l', who), ['Brass Lantern']);
  t.deepEqual(await recent('brass bell', who), [], 'what is typed already completes nothing');
  t.deepEqual(await recent('', who), ['Brass Lantern', 'copper kettle'], 'two at most');
  t.deepEqual(await recent('bras', { device_id: 'strange' }), []);
  const { body } = await visitor.get<Completions>('/shop/searches/completions?q=brass+l&device_id=own');
  t.deepEqual(body.queries?.[0], { query: 'Brass Lantern', kind: 'recent' });
});

test('a misspelt query comes back as it was corrected, and what finds nothing not at all', async (t) => {
  const who = { device_id: 'speller' };
  await search('brass lantrn', who);
  await search('bramble', { ...who });
  await search('brass anna@example.org', who);
  t.deepEqual(await recent('br', who), ['brass lantern']);
});

test('nothing is kept of who does not want it, of robots and of nobody', async (t) => {
  await search('bronze bowl', { device_id: 'shy', do_not_store: true });
  await search('bronze bowl', { device_id: 'anonymous' });
  const body = { q: 'bronze bowl', page_type: 'search', device_id: 'crawler' };
  await visitor.post('/shop/searches/requests', body, { 'user-agent': 'Googlebot/2.1' });
  for (const device_id of ['shy', 'anonymous', 'crawler']) t.deepEqual(await recent('br', { device_id }), []);
});

test('who knows a user id only sees nothing of the user; who is on the device, or has a token, does', async (t) => {
  await search('bread knife', { user_id: 'ann', device_id: 'phone' });
  t.deepEqual(await recent('br', { user_id: 'ann' }), []);
  t.deepEqual(await recent('br', { user_id: 'ann', device_id: 'elsewhere' }), []);
  t.deepEqual(await recent('br', { user_id: 'ann', device_id: 'phone' }), ['bread knife']);
  t.deepEqual(await recent('br', { user_id: 'ann' }, http), ['bread knife']);
  t.deepEqual(await recent('br', { device_id: 'phone' }), [], 'signed out');
  t.deepEqual(await recent('br', { user_id: 'bob', device_id: 'phone' }), [], 'another user of the device');
  await search('brass bell', { user_id: 'bob', device_id: 'phone' });
  t.deepEqual(await recent('br', { user_id: 'bob', device_id: 'phone' }), ['brass bell']);
  t.deepEqual(await recent('br', { user_id: 'ann', device_id: 'phone' }), []);
});

test('popular is what many different people asked, wherever they did', async (t) => {
  t.timeout(300_000);
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: service.authorization });
  const popular = async (q: string, client = visitor) => {
    const { queries = [] } = await complete(q, { device_id: 'onlooker' }, client);
    return queries.filter(({ kind }) => kind === 'popular').map(({ query }) => query);
  };
  for (let round = 0; round < 9; round++) await search('kettle copper', { device_id: `fan-${round % 2}` });
  for (const device of ['a', 'b', 'c']) await search('knife bread', { device_id: device, user_id: 'one' });
  for (const device of ['a', 'b', 'c']) await search('coppr kettle', { device_id: device });
  for (const device of ['a', 'b']) await search('Bronze Bowl', { device_id: device });
  await other.post('/shop/searches/requests', { q: 'bronze bowl', page_type: 's', device_id: 'c' });
  for (const client of [visitor, other])
    while (!(await popular('br', client)).includes('bronze bowl')) await delay(50);
  t.deepEqual(await popular('k'), [], 'two eager people and one user on three devices are not many');
  t.deepEqual(await popular('coppr'), [], 'what had to be corrected is proposed to nobody');
  const { queries } = await complete('bro', { device_id: 'a' });
  t.deepEqual(queries, [{ query: 'Bronze Bowl', kind: 'recent' }], "once, as one's own");
});

test('where the deployment does not ask for queries, there are none', async (t) => {
  await search('brass bell', { device_id: 'own' }, 'news');
  const answer = await complete('br', { device_id: 'own' }, visitor, 'news');
  t.false('queries' in answer);
  t.is(answer.completions.length, 4);
});

test('recent queries are on every node and outlive it', async (t) => {
  const who = { device_id: 'wanderer' };
  await search('brass bell', who);
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: '' });
  while ((await recent('br', who, other)).length === 0) await delay(50);
  t.deepEqual(await recent('br', who, other), ['brass bell']);
});
