/** Queries as completions: private recent ones, and popular ones. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';

const deployment = `
server: { trusted_proxies: ["127.0.0.0/8", "::1"] }
environments:
  - name: shop
    item_types: [ { name: product, properties: [ { name: ean, type: string, searchable: { weight: 1 } } ] } ]
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
  await searchFrom('192.0.2.1', q, who, { environment });
}

type Through = { environment?: string; client?: JsonClient };

/** The forwarded address of a proxy. */
async function searchFrom(address: string, q: string, who: Who, through: Through = {}): Promise<void> {
  const { environment = 'shop', client = visitor } = through;
  const body = { q, page_type: 'search', device_id: 'anonymous', ...who };
  const headers = { 'x-forwarded-for': address };
  const answer = await client.post(`/${environment}/searches/requests`, body, headers);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/** Devices with an event the given number of minutes ago. */
async function meet(devices: readonly string[], minutesAgo = 120): Promise<void> {
  const seen = { event_type: 'detail_pageview', page_type: 'detail', action_item: 'Brass-bell' };
  const timestamp = Date.now() / 1_000 - minutesAgo * 60;
  const events = devices.map((device_id) => ({ ...seen, device_id, timestamp }));
  const answer = await http.post('/shop/events', { events });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

async function popular(q: string, client = visitor): Promise<string[]> {
  const { queries = [] } = await complete(q, { device_id: 'onlooker' }, client);
  return queries.filter(({ kind }) => kind === 'popular').map(({ query }) => query);
}

let rounds = 0;

/** Resolves when all earlier searches on this node count for popular queries. */
async function awaitPopular(): Promise<void> {
  rounds += 1;
  const q = `kettle ${'abcdefghij'[rounds]}`;
  for (const user_id of ['one', 'two', 'three'])
    await searchFrom('192.0.2.1', q, { user_id, device_id: 'backend' }, { client: http });
  while (!(await popular(q.slice(0, -1))).includes(q)) await delay(50);
}

async function complete(q: string, who: Who, client = visitor, environment = 'shop'): Promise<Completions> {
  const answer = await client.post<Completions>(`/${environment}/searches/completions`, { q, ...who });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Recent queries only; popular ones are shared by all tests. */
async function recent(q: string, who: Who, client = visitor): Promise<string[]> {
  const { queries = [] } = await complete(q, who, client);
  return queries.filter(({ kind }) => kind === 'recent').map(({ query }) => query);
}

test('the searches of a device complete its queries as typed, latest first', async (t) => {
  const who = { device_id: 'own' };
  for (const q of ['Brass  Lantern', 'brass bell', 'copper kettle', 'Brass Lantern']) await search(q, who);
  t.deepEqual(await recent('BRÄSS', who), ['Brass Lantern', 'brass bell']);
  t.deepEqual(await recent('brass l', who), ['Brass Lantern']);
  t.deepEqual(await recent('brass bell', who), [], 'a typed query does not complete itself');
  t.deepEqual(await recent('', who), ['Brass Lantern', 'copper kettle'], 'two at most');
  t.deepEqual(await recent('bras', { device_id: 'strange' }), []);
  const { body } = await visitor.get<Completions>('/shop/searches/completions?q=brass+l&device_id=own');
  t.deepEqual(body.queries?.[0], { query: 'Brass Lantern', kind: 'recent' });
});

test('a misspelt query is suggested as corrected, and a query without results is not', async (t) => {
  const who = { device_id: 'speller' };
  await search('brass lantrn', who);
  await search('bramble', { ...who });
  await search('brass anna@example.org', who);
  t.deepEqual(await recent('br', who), ['brass lantern']);
});

test('queries are not stored on request, nor for robots and anonymous visitors', async (t) => {
  await search('bronze bowl', { device_id: 'shy', do_not_store: true });
  await search('bronze bowl', { device_id: 'anonymous' });
  const body = { q: 'bronze bowl', page_type: 'search', device_id: 'crawler' };
  await visitor.post('/shop/searches/requests', body, { 'user-agent': 'Googlebot/2.1' });
  for (const device_id of ['shy', 'anonymous', 'crawler']) t.deepEqual(await recent('br', { device_id }), []);
});

test('a user ID alone reveals nothing; the user’s device or a token does', async (t) => {
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

test('a query of many different visitors is popular, from any node', async (t) => {
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: service.authorization });
  const devices = ['a', 'b', 'c'];
  await meet([...devices, 'fan-0', 'fan-1']);
  const ask = (q: string, device_id: string, place: number, user_id?: string) =>
    searchFrom(`198.51.${place}.7`, q, { device_id, user_id });
  for (let round = 0; round < 9; round++) await ask('copper kettle now', `fan-${round % 2}`, round);
  for (const [place, device] of devices.entries()) await ask('knife bread', device, place, 'one');
  for (const [place, device] of devices.entries()) await ask('coppr kettle', device, place);
  for (const [place, device] of ['a', 'b'].entries()) await ask('Bronze Bowl', device, place);
  await searchFrom('198.51.2.7', 'bronze bowl', { device_id: 'c' }, { client: other });
  for (const client of [visitor, other])
    while (!(await popular('br', client)).includes('bronze bowl')) await delay(50);
  t.deepEqual(await popular('copper kettle n'), [], 'two eager people are not many');
  t.deepEqual(await popular('kn'), [], 'nor is one user on three devices');
  t.deepEqual(await popular('coppr'), [], 'corrected queries are not proposed');
  const { queries } = await complete('bro', { device_id: 'a' });
  t.deepEqual(queries, [{ query: 'Bronze Bowl', kind: 'recent' }], "once, as one's own");
});

test('devices of one network, and new devices, make no query popular', async (t) => {
  const known = ['k1', 'k2', 'k3', 'k4', 'k5'];
  await meet(known);
  await meet(['n1', 'n2', 'n3', 'n4', 'n5'], 30);
  for (const place of [1, 2, 3, 4, 5]) {
    await searchFrom('203.0.113.9', 'brass cheaper at evil example', { device_id: `fresh-${place}` });
    await searchFrom(`203.0.113.${place}`, 'brass one network', { device_id: `k${place}` });
    await searchFrom(`2001:db8:7:${place}::1`, 'brass one customer', { device_id: `k${place}` });
    await searchFrom(`203.0.${place}.9`, 'brass just now', { device_id: `n${place}` });
    await searchFrom(`203.0.${place}.9`, 'brass strangers', { device_id: `strange-${place}` });
    await searchFrom(`203.0.${place}.9`, 'brass people', { device_id: `k${place}` });
  }
  await awaitPopular();
  t.deepEqual(await popular('brass'), ['brass people']);
  const { rows } = await service.database.pool.query('select query, witnesses from search_queries');
  for (const { witnesses } of rows) t.false(witnesses.includes(Buffer.from([203, 0, 113])));
});

test('addresses, links and numbers become popular only if the catalogue has them', async (t) => {
  await http.put('/shop/items/product/0815-4711-99', { title: 'Tin can 12345678', ean: '4006381333931' });
  const contacts = ['01701234567', '٠١٧٠١٢٣٤٥٦٧', 'evil.example', 'evil [dot] com', 't.me/evil', '@evil'];
  for (const user_id of ['u1', 'u2', 'u3'])
    for (const contact of [...contacts, '4006381333931', '12345678', '0815-4711-99', 'xl 128 gb'])
      await searchFrom('192.0.2.1', `tin ${contact}`, { user_id, device_id: 'backend' }, { client: http });
  await awaitPopular();
  const found = new Set<string>();
  for (const begin of ['', '0', '1', '4', '٠', 'e', 't', 'x', '@'])
    for (const query of await popular(`tin ${begin}`)) found.add(query);
  t.deepEqual([...found].sort(), ['tin 0815 4711 99', 'tin 12345678', 'tin 4006381333931', 'tin xl 128 gb']);
});

test('a blocked word or phrase is never suggested, on every node, until it is allowed again', async (t) => {
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: service.authorization });
  for (const user_id of ['v1', 'v2', 'v3'])
    for (const q of ['copper art', 'copper cart', 'copper Café noir'])
      await searchFrom('192.0.2.1', q, { user_id, device_id: 'backend' }, { client: http });
  const bothShow = async (queries: string[]) => {
    for (const client of [visitor, other])
      for (const q of ['copper a', 'copper c']) {
        const expected = queries.filter((query) => query.startsWith(q)).join();
        while ((await popular(q, client)).toSorted().join() !== expected) await delay(50);
      }
  };
  await bothShow(['copper art', 'copper cafe noir', 'copper cart']);
  const put = (phrases: string[]) => http.put('/shop/blocked-queries', { phrases });
  t.is((await put(['ART', 'cafe-noir'])).status, 200);
  t.deepEqual(await popular('copper c'), ['copper cart'], 'at once where it was sent to');
  await bothShow(['copper cart']);
  t.deepEqual((await http.get('/shop/blocked-queries')).body, { phrases: ['ART', 'cafe-noir'] });
  await searchFrom('192.0.2.1', 'copper art', { device_id: 'own-art' });
  t.deepEqual(await recent('copper', { device_id: 'own-art' }), ['copper art'], "one's own stay");
  t.is((await put([])).status, 200);
  await bothShow(['copper art', 'copper cafe noir', 'copper cart']);
});

test('the list of blocked queries is protected, limited and audited', async (t) => {
  const put = async (phrases: string[], match?: string) => {
    const { status, headers } = await fetch(`${service.baseUrl}/news/blocked-queries`, {
      method: 'PUT',
      headers: {
        authorization: service.authorization,
        'content-type': 'application/json',
        ...(match && { 'if-match': match }),
      },
      body: JSON.stringify({ phrases }),
    });
    return { status, tag: headers.get('etag') ?? '' };
  };
  t.deepEqual((await http.get('/news/blocked-queries')).body, { phrases: [] });
  const first = await put(['one']);
  t.is(first.status, 200);
  t.is((await put(['two'], first.tag)).status, 200);
  t.is((await put(['three'], first.tag)).status, 412);
  t.is((await put(['!?'])).status, 400);
  t.is((await put(['x'.repeat(101)])).status, 400);
  t.is((await put(Array.from({ length: 2_001 }, (_, i) => `w${i}`))).status, 400);
  t.is((await visitor.get('/news/blocked-queries')).status, 401);
  const { entries } = (
    await http.get<{ entries: { environment: string; before?: object; after?: object }[] }>(
      '/audit?resource=blocked_queries&environment=news',
    )
  ).body;
  t.deepEqual(
    entries.map(({ before, after }) => [before, after]),
    [
      [{ phrases: ['one'] }, { phrases: ['two'] }],
      [undefined, { phrases: ['one'] }],
    ],
  );
});

test('without query_completions in the deployment there are no queries', async (t) => {
  await search('brass bell', { device_id: 'own' }, 'news');
  const answer = await complete('br', { device_id: 'own' }, visitor, 'news');
  t.false('queries' in answer);
  t.is(answer.completions.length, 4);
});

test('recent queries are available on every node and survive its end', async (t) => {
  const who = { device_id: 'wanderer' };
  await search('brass bell', who);
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: '' });
  while ((await recent('br', who, other)).length === 0) await delay(50);
  t.deepEqual(await recent('br', who, other), ['brass bell']);
});
