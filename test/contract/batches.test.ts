/** Lists for many subjects at once, from the request to the lines. */

import { setTimeout as delay } from 'node:timers/promises';
import { credentials, Metadata } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import { BatchServiceClient } from '../../gen/grpc/personalisation/v1/batch_service.ts';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { readAll } from '../support/rpc-streams.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product, reconsumable: true, properties: [
      { name: brand, type: string, returnable: true }, { name: story, type: string, returnable: true } ] } ]
    information_field: brand
    integration_types: [email]
    batches: { largest: 5000, at_once: 3 }
    user_groups: [ { name: recommender, share: 100 }, { name: nobody, share: 0, lists: empty } ]
`;

type Batch = {
  batch_id: string;
  state: string;
  progress: number;
  people_count: number;
  answered_count: number;
  failure: string;
  expires_at?: string;
};
type Result = {
  offset: number;
  user_id?: string;
  device_id?: string;
  request_id: string;
  user_group: string;
  version: string;
  lists: { list_name: string; configuration_id: string; items: Item[] }[];
};
type Item = { item_id: string; rank: number; information_field?: string; title?: string };

const lists = [
  { configuration_id: 'home', list_name: 'top', list_size: 3 },
  { configuration_id: 'home', list_name: 'more', list_size: 2 },
];
const asked = { page_type: 'email', lists };

async function start(t: ExecutionContext) {
  const service = await startTestService(t, deployment);
  const http = createJsonClient(service);
  for (const id of ['lamp', 'sofa', 'rug', 'desk', 'shelf', 'mirror'])
    await http.put(`/shop/items/product/${id}`, { title: `A "${id}", new`, brand: `of ${id}` });
  await http.put('/configurations/home', { constraints: [] });
  return { service, http };
}

const view = (who: object, item: string) => ({
  event_type: 'detail_pageview',
  ...who,
  action_item: item,
  action_item_type: 'product',
  page_type: 'detail',
});

const pathOf = ({ batch_id: id }: Batch) => `/shop/batches/${id}`;

async function ask(t: ExecutionContext, http: JsonClient, request: object): Promise<Batch> {
  const { status, body } = await http.post<Batch>('/shop/batches', { ...asked, ...request });
  t.is(status, 202, JSON.stringify(body));
  return body;
}

async function until(http: JsonClient, batch: Batch, holds: (found: Batch) => boolean): Promise<Batch> {
  for (;;) {
    const { body } = await http.get<Batch>(pathOf(batch));
    if (holds(body)) return body;
    await delay(20);
  }
}

const end = (http: JsonClient, batch: Batch) =>
  until(http, batch, ({ state }) => !['queued', 'running'].includes(state));

async function readText({ baseUrl, authorization }: TestService, batch: Batch, query = '') {
  const response = await fetch(`${baseUrl}${pathOf(batch)}/results${query}`, { headers: { authorization } });
  return { type: response.headers.get('content-type'), text: await response.text() };
}

async function readResults(service: TestService, batch: Batch, query = ''): Promise<Result[]> {
  const { text } = await readText(service, batch, query);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

test('each user is answered once, with the lists of a single request', async (t) => {
  const { service, http } = await start(t);
  await http.post('/shop/events', {
    events: [view({ user_id: 'ann' }, 'rug'), view({ user_id: 'bob' }, 'desk')],
  });
  const batch = await ask(t, http, { user_ids: ['ann', 'bob', 'ann', 'stranger'], fields: ['title'] });
  t.false(JSON.stringify(batch).includes('stranger'), 'only the results name the subjects');
  const ended = await end(http, batch);
  t.like(ended, { state: 'done', progress: 1, people_count: 3, answered_count: 3 });
  t.true(Date.parse(ended.expires_at!) > Date.now() + 6 * 86_400_000);
  const { type } = await readText(service, batch);
  t.is(type, 'application/x-ndjson');
  const results = await readResults(service, batch);
  t.deepEqual(
    results.map(({ offset, user_id: user }) => [offset, user]),
    [
      [1, 'ann'],
      [2, 'bob'],
      [3, 'stranger'],
    ],
  );
  t.is(new Set(results.map(({ request_id: id }) => id)).size, 3);
  for (const { user_id: user, lists: made, ...others } of results) {
    const request = { user_id: user, device_id: 'anonymous', ...asked, fields: ['title'] };
    const { body } = await http.post<Result>('/shop/recommendations/requests', request);
    t.like(others, { user_group: body.user_group, version: body.version });
    t.deepEqual(
      made.map(({ items }) => items),
      body.lists.map(({ items }) => items),
    );
  }
});

/** By default, clients like this one accept no message above 4 MiB. */
test('large results arrive in messages that any client accepts', async (t) => {
  const { service, http } = await start(t);
  for (const id of ['lamp', 'sofa', 'rug', 'desk', 'shelf', 'mirror'])
    await http.put(`/shop/items/product/${id}`, { title: id, story: '✓'.repeat(3_000) });
  const users = Array.from({ length: 210 }, (_, i) => `user ${i}`);
  const batch = await ask(t, http, { user_ids: users, fields: ['story'] });
  await end(http, batch);
  const client = new BatchServiceClient(service.grpcAddress, credentials.createInsecure());
  t.teardown(() => client.close());
  const metadata = new Metadata();
  metadata.set('authorization', service.authorization);
  const request = { environment: 'shop', batch_id: batch.batch_id, offset: undefined, limit: undefined };
  const read = (format?: string) => readAll(client.exportBatchResults({ ...request, format }, metadata));
  const results = (await read()).flatMap(({ results: some }) => some);
  t.deepEqual(
    results.map(({ user_id: user }) => user),
    users,
  );
  for (const format of ['ndjson', 'csv']) {
    const lines = (await read(format)).flatMap((answer) => answer.lines);
    t.is(`${lines.join('\n')}\n`, (await readText(service, batch, `?format=${format}`)).text);
  }
});

test('results are read as a table, in pages, and resumed', async (t) => {
  const { service, http } = await start(t);
  const users = Array.from({ length: 450 }, (_, i) => `user ${i}, "the" ${i}`);
  const batch = await ask(t, http, { user_ids: users });
  await end(http, batch);
  const { type, text } = await readText(service, batch, '?format=csv');
  t.is(type, 'text/csv; charset=utf-8');
  const [head, first] = text.split('\n');
  t.is(
    head,
    'offset,user_id,device_id,request_id,user_group,version,list_name,configuration_id,rank,item_id,information_field',
  );
  t.regex(first, /^1,"user 0, ""the"" 0",,[0-9a-f-]{36},recommender,default,top,home,1,\w+,of \w+$/);
  t.is(text.trimEnd().split('\n').length, 1 + 450 * 5);
  const page = async (offset: number, limit: number) =>
    (await readText(service, batch, `?format=csv&offset=${offset}&limit=${limit}`)).text;
  t.is((await page(1, 199)) + (await page(200, 2)) + (await page(202, 1_000)), text);
  const rest = await readResults(service, batch, '?offset=399');
  t.deepEqual(
    rest.map(({ user_id: user }) => user),
    users.slice(398),
  );
  t.is((await http.get(`${pathOf(batch)}/results?offset=0`)).status, 400);
});

test('no cell of a table of results is a formula', async (t) => {
  const { service, http } = await start(t);
  const users = ['=1+1', '+1', '-1-2', '@sum(a1)', '＝1', 'x;=1'];
  const batch = await ask(t, http, { user_ids: users });
  await end(http, batch);
  const { text } = await readText(service, batch, '?format=csv');
  const rows = parse(text, { columns: true }) as { user_id: string; rank: string }[];
  const expected = users.map((user) => user.replace(/(^|;)(?=[=+\-@＝])/, "$1'"));
  t.deepEqual([...new Set(rows.map((row) => row.user_id))], expected);
  t.true(rows.every(({ rank }) => /^\d+$/.test(rank)));
});

test('a batch is for devices, an audience or recently active subjects', async (t) => {
  const { service, http } = await start(t);
  const both = { user_id: 'ann', device_id: 'phone' };
  await http.post('/shop/events', {
    events: [view(both, 'rug'), view({ device_id: 'tablet' }, 'desk'), view({ user_id: 'bob' }, 'rug')],
  });
  const answered = async (request: object) => {
    const batch = await ask(t, http, request);
    t.like(await end(http, batch), { state: 'done', failure: '' });
    const results = await readResults(service, batch);
    return results.map(({ user_id: user, device_id: device }) => user ?? `of ${device}`).sort();
  };
  t.deepEqual(await answered({ device_ids: ['phone', 'unseen'] }), ['of phone', 'of unseen']);
  await http.get('/metrics/pageviews');
  t.deepEqual(await answered({ active_within_days: 1 }), ['ann', 'bob', 'of tablet']);
  const { body } = await http.post<{ audience: { audience_id: string; users: { id: string }[] } }>(
    '/shop/targeting/audiences/requests',
    {
      audience: {
        audience_name: 'rugs',
        audience_size: 2,
        integration_type: 'email',
        promotion: [{ id: 'rug' }],
      },
    },
  );
  const members = body.audience.users.map(({ id }) => id).sort();
  t.deepEqual(await answered({ audience_id: body.audience.audience_id }), members);
});

test('an invalid batch is refused, and a token is required', async (t) => {
  const { service, http } = await start(t);
  const pointersOf = async (request: object) => {
    const { status, body } = await http.post<{ errors: { pointer: string }[] }>('/shop/batches', {
      ...asked,
      ...request,
    });
    return [status, body.errors?.map(({ pointer }) => pointer)];
  };
  t.deepEqual(await pointersOf({}), [400, ['']]);
  t.deepEqual(await pointersOf({ user_ids: ['a'], active_within_days: 1 }), [400, ['/active_within_days']]);
  t.deepEqual(await pointersOf({ device_ids: ['a', 'anonymous'] }), [400, ['/device_ids/1']]);
  t.deepEqual(await pointersOf({ audience_id: 'none' }), [400, ['/audience_id']]);
  t.deepEqual(await pointersOf({ user_ids: ['a'], fields: ['weight'] }), [400, ['/fields/0']]);
  const long = { configuration_id: 'home', list_name: 'long', list_size: 1_000 };
  t.deepEqual(await pointersOf({ user_ids: ['a'], lists: [long, lists[0]] }), [400, ['/lists']]);
  const unknown = [{ ...lists[0], configuration_id: 'unknown' }];
  t.is((await http.post('/shop/batches', { user_ids: ['a'], ...asked, lists: unknown })).status, 404);
  await http.put('/configurations/branded', {
    constraints: [{ query: { key: 'brand', match: { variable: { name: 'brand' } } } }],
  });
  const branded = [{ ...lists[0], configuration_id: 'branded' }];
  t.is((await pointersOf({ user_ids: ['a'], lists: branded }))[0], 400);
  const batch = await ask(t, http, { user_ids: ['a'], lists: branded, brand: 'of rug' });
  await end(http, batch);
  const [{ lists: made }] = await readResults(service, batch);
  t.deepEqual(
    made[0].items.map(({ item_id: id }) => id),
    ['rug'],
  );
  const stranger = createJsonClient({ ...service, authorization: '' });
  t.is((await stranger.post('/shop/batches', { user_ids: ['a'], ...asked })).status, 401);
  t.is((await stranger.get(`${pathOf(batch)}/results`)).status, 401);
  t.is((await http.get('/shop/batches/unknown')).reason, 'batch_unknown');
});

/** Many users, so that the batch is still running when it is cancelled. */
const many = Array.from({ length: 5_000 }, (_, i) => `user ${i}`);

test('a cancelled batch ends, keeps its results and frees its place in the queue', async (t) => {
  const { service, http } = await start(t);
  const batches: Batch[] = [];
  for (let count = 0; count < 3; count++) batches.push(await ask(t, http, { user_ids: many }));
  const listed = await http.get<{ batches: Batch[] }>('/shop/batches');
  t.is(listed.body.batches.length, 3);
  const refused = await http.post('/shop/batches', { ...asked, user_ids: ['a'] });
  if (refused.status !== 202) t.is(refused.status, 429);
  await until(http, batches[0], ({ answered_count: count }) => count > 0);
  for (const batch of batches.toReversed()) {
    const { status, body } = await http.send<Batch>('DELETE', pathOf(batch));
    t.is(status, 200);
    t.true(['cancelled', 'done'].includes(body.state), body.state);
  }
  const { answered_count: count, state } = await end(http, batches[0]);
  const results = await readResults(service, batches[0]);
  t.true(results.length >= count && results.length > 0);
  t.is((await http.send<Batch>('DELETE', pathOf(batches[0]))).body.state, state, 'what has ended stays');
  const last = await ask(t, http, { user_ids: ['a'] });
  t.is((await end(http, last)).state, 'done');
});

test('another node continues an interrupted batch, and no subject is answered twice', async (t) => {
  const { service, http } = await start(t);
  const batch = await ask(t, http, { user_ids: many });
  await until(http, batch, ({ answered_count: count }) => count > 0);
  const before = await readResults(service, batch);
  /** As if the first node had been paused and another one had claimed its batch. */
  await service.database.pool.query(
    `update batches set node = 'lost', heartbeat_at = now() - interval '1 hour'`,
  );
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  t.like(await end(http, batch), { state: 'done', answered_count: many.length });
  const results = await readResults({ ...service, ...node }, batch);
  t.deepEqual(
    results.map(({ user_id: user }) => user),
    many,
  );
  t.deepEqual(
    results.slice(0, before.length).map(({ request_id: id }) => id),
    before.map(({ request_id: id }) => id),
  );
});

test('results leave out postponed items, unless the batch pinned them', async (t) => {
  const { service, http } = await start(t);
  const postpone = (id: string) =>
    http.put(`/shop/items/product/${id}`, { publication_datetime: '2999-01-01T00:00:00Z' });
  await postpone('lamp');
  const content = [{ item_id: 'lamp', item_type: 'product', rank: 1 }];
  const batch = await ask(t, http, {
    user_ids: ['ann'],
    lists: [{ configuration_id: 'home', list_name: 'top', list_size: 6, list_content: content }],
  });
  await end(http, batch);
  const ids = async () => (await readResults(service, batch))[0].lists[0].items.map((item) => item.item_id);
  const all = await ids();
  t.is(all[0], 'lamp');
  t.true(all.includes('rug'));
  await postpone('rug');
  t.deepEqual(
    await ids(),
    all.filter((id) => id !== 'rug'),
  );
});

test('clicks on the lists of a batch are counted, and purchases attributed to them', async (t) => {
  const { service, http } = await start(t);
  const batch = await ask(t, http, { user_ids: ['ann'] });
  await end(http, batch);
  const [{ request_id: request, lists: made }] = await readResults(service, batch);
  const [{ item_id: item }] = made[0].items;
  const about = {
    user_id: 'ann',
    device_id: 'phone',
    page_type: 'email',
    list_name: 'top',
    action_item: item,
    action_item_type: 'product',
    campaign_id: 'autumn',
  };
  const click = { event_type: 'batch_click_on_recommendation', ...about, request_id: request };
  const purchase = { event_type: 'purchase', ...about, amount: 1, purchased_price: 20 };
  const { status, body } = await http.post('/shop/events', { events: [click] });
  t.is(status, 200, JSON.stringify(body));
  t.is((await http.post('/shop/events', { events: [purchase] })).status, 200);
  const sumOf = async (metric: string) => {
    const { results } = (await http.get<{ results: { value: number }[] }>(`/metrics/${metric}`)).body;
    return results.reduce((sum, { value }) => sum + value, 0);
  };
  t.is(await sumOf('batch_clicks'), 1);
  t.is(await sumOf('attributed_revenue'), 20);
});
