/** The server client against the service. */

import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import {
  createPersonalisation,
  type LostEvent,
  type PersonalisationError,
  type PersonalisationOptions,
} from '../../clients/node/src/index.ts';
import { ClientService } from '../../gen/es/personalisation/v1/client_service_pb.js';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { UserService } from '../../gen/es/personalisation/v1/user_service_pb.js';
import { testedService } from '../contract/support/tested-service.ts';
import { createFaultyFetch } from './support/faulty-fetch.ts';

const service = testedService();
const itemIds = Array.from({ length: 25 }, (_, index) => `item-${index}`);

/** Generous, because the machine may be busy. */
const patientMs = 60_000;

type Teardown = Pick<ExecutionContext, 'teardown'>;

function connect(t: Teardown, options: Partial<PersonalisationOptions> = {}) {
  const client = createPersonalisation({
    baseUrl: service.origin,
    environment: 'shop',
    credentials: service.admin,
    timeoutMs: patientMs,
    writeTimeoutMs: patientMs,
    ...options,
  });
  t.teardown(() => client.close());
  return client;
}

const home = { configurationId: 'all', listName: 'for you', listSize: 20 };

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function visit() {
  return { deviceId: randomUUID(), pageType: 'home', lists: [home] };
}

test.before('fill the shop', async () => {
  const client = connect({ teardown: () => undefined });
  const items = client.service(ItemService);
  const configurations = client.service(ConfigurationService);
  await configurations.putConfiguration({
    configurationId: 'all',
    configuration: { configurationId: 'all' },
  });
  for (const itemId of itemIds)
    await items.putItem({
      environment: 'shop',
      itemType: 'product',
      itemId,
      item: { title: `Red ${itemId}` },
    });
});

test('the pages of a list are one sequence', async (t) => {
  const client = connect(t);
  const { lists, isFallback } = await client.recommend(visit());
  t.false(isFallback);
  t.is(lists[0].items.length, 20);
  const paged = await collect(client.listItems(lists[0].listKey, { pageSize: 7 }));
  t.deepEqual(
    paged.map(({ itemId, rank }) => [itemId, rank]),
    lists[0].items.map(({ itemId, rank }) => [itemId, rank]),
  );
  t.regex(JSON.parse(JSON.stringify({ lists })).lists[0].expiresAt, /^\d{4}-.*Z$/);
  const found = await client.search({ q: 'red', deviceId: 'd', pageType: 'search', limit: 2 });
  const all = await collect(client.searchItems(found.lists[0].listKey, { pageSize: 10 }));
  t.is(all.length, itemIds.length);
});

test('without an answer in time, the caller’s own list is used and not counted for the recommender', async (t) => {
  const { fetch } = createFaultyFetch((method) => (method === 'CreateRecommendations' ? 'silent' : 'none'));
  const client = connect(t, { fetch });
  const fallback = { 'for you': ['item-3', { itemId: 'item-4', itemType: 'product' }] };
  const answer = await client.recommend(visit(), { timeoutMs: 50, fallback });
  t.true(answer.isFallback);
  t.is(answer.error?.reason, 'DEADLINE_EXCEEDED');
  t.is(answer.userGroup, 'cms');
  t.deepEqual(
    answer.lists[0].items.map(({ itemId, rank }) => [itemId, rank]),
    [
      ['item-3', 1],
      ['item-4', 2],
    ],
  );
  await t.throwsAsync(client.recommend(visit(), { timeoutMs: 50 }), { name: 'PersonalisationError' });
});

test('a late token delays no call beyond its timeout', async (t) => {
  const { fetch, calls } = createFaultyFetch((method) => (method === 'CreateToken' ? 'silent' : 'none'));
  const client = connect(t, { fetch, writeTimeoutMs: 500 });
  const answer = await client.recommend(visit(), { timeoutMs: 50, fallback: {} });
  t.is(answer.error?.reason, 'DEADLINE_EXCEEDED');
  t.deepEqual(calls, ['CreateToken']);
});

test('a fallback does not hide an error of the caller', async (t) => {
  const client = connect(t);
  const request = { ...visit(), lists: [{ ...home, configurationId: 'nowhere' }] };
  const error = await t.throwsAsync<PersonalisationError>(
    client.recommend(request, { fallback: { 'for you': ['item-1'] } }),
  );
  t.is(error?.reason, 'CONFIGURATION_UNKNOWN');
  t.regex(error!.requestId!, /./);
});

test('an error names the invalid fields', async (t) => {
  const client = connect(t);
  const error = await t.throwsAsync<PersonalisationError>(
    client.recommend({ ...visit(), lists: [{ ...home, listSize: 0 }] }),
  );
  t.is(error?.reason, 'BODY_INVALID');
  t.deepEqual(
    error?.violations.map(({ pointer }) => pointer),
    ['/lists/0/list_size'],
  );
});

test('an aborted call rejects with its own reason', async (t) => {
  const { fetch } = createFaultyFetch((method) => (method === 'CreateSearch' ? 'silent' : 'none'));
  const reason = new Error('The visitor left.');
  const request = { q: 'red', deviceId: 'd', pageType: 'search' };
  const searching = connect(t, { fetch }).search(request, { signal: AbortSignal.abort(reason) });
  t.is(await t.throwsAsync(searching), reason);
});

for (const fault of ['unreachable', 'unavailable', 'lost'] as const) {
  test(`a repeatable call is repeated if its first request is ${fault}`, async (t) => {
    const { fetch, calls } = createFaultyFetch((method, count) =>
      method === 'CreateRecommendations' && count === 0 ? fault : 'none',
    );
    const { lists } = await connect(t, { fetch }).recommend(visit());
    t.is(lists[0].items.length, 20);
    t.deepEqual(calls, ['CreateToken', 'CreateRecommendations', 'CreateRecommendations']);
  });

  test(`a call that is not idempotent is sent once, even if its request is ${fault}`, async (t) => {
    const { fetch, calls } = createFaultyFetch((method) => (method === 'CreateClient' ? fault : 'none'));
    const clients = connect(t, { fetch }).service(ClientService);
    const creating = clients.createClient({ client: { name: 'twice', scopes: ['items:shop'] } });
    const error = await t.throwsAsync<PersonalisationError>(creating);
    t.is(error?.reason, 'UNAVAILABLE');
    t.deepEqual(calls, ['CreateToken', 'CreateClient']);
  });
}

test('a refused token is renewed, and the call repeated', async (t) => {
  const { fetch, calls } = createFaultyFetch((method, count) =>
    method === 'GetItem' && count === 0 ? 'stale token' : 'none',
  );
  const items = connect(t, { fetch }).service(ItemService);
  const { item } = await items.getItem({ environment: 'shop', itemType: 'product', itemId: 'item-1' });
  t.is(item?.title, 'Red item-1');
  t.deepEqual(calls, ['CreateToken', 'GetItem', 'CreateToken', 'GetItem']);
});

test('calls that start together share one token', async (t) => {
  const { fetch, calls } = createFaultyFetch(() => 'none');
  const client = connect(t, { fetch });
  await Promise.all([client.recommend(visit()), client.recommend(visit())]);
  t.is(calls.filter((method) => method === 'CreateToken').length, 1);
});

function pageview(pageType: string, actionItem = 'item-1') {
  return {
    eventType: 'detail_pageview',
    deviceId: randomUUID(),
    pageType,
    actionItem,
    actionItemType: 'product',
  } as const;
}

async function countPageviews(t: Teardown, pageType: string): Promise<number> {
  const metrics = connect(t).service(MetricService);
  const { results } = await metrics.queryMetrics({
    metrics: ['pageviews'],
    environment: 'shop',
    where: { pageType },
  });
  return results.reduce((sum, { value }) => sum + value, 0);
}

test('events are sent in batches, and a batch with a lost answer is stored once', async (t) => {
  const { fetch, calls } = createFaultyFetch((method, count) =>
    method === 'CreateEvents' && count === 0 ? 'lost' : 'none',
  );
  const client = connect(t, { fetch, events: { batchSize: 4 } });
  const pageType = randomUUID();
  for (let count = 0; count < 10; count += 1) client.track(pageview(pageType));
  await client.flush();
  t.is(await countPageviews(t, pageType), 10);
  t.is(calls.filter((method) => method === 'CreateEvents').length, 4);
});

test('signing out follows the events tracked before it', async (t) => {
  const client = connect(t);
  const deviceId = randomUUID();
  client.track({ eventType: 'page_visit', pageType: 'home', deviceId, userId: randomUUID() });
  await client.signOut(deviceId);
  const exported = client.service(UserService).exportDevice({ environment: 'shop', deviceId });
  const lines = (await collect(exported)).flatMap(({ json }) => json);
  const events = lines.map((line) => JSON.parse(line)).filter(({ record }) => record === 'event');
  /** The export has no order of its own. */
  const timeOf = (name: string) =>
    events.find(({ event }) => (event.interaction_type ?? event.event_type) === name).event.timestamp;
  t.is(events.length, 2);
  t.true(timeOf('page_visit') <= timeOf('sign_out'));
});

test('events wait for an unavailable service', async (t) => {
  const { fetch } = createFaultyFetch((method, count) =>
    method === 'CreateEvents' && count < 3 ? 'unreachable' : 'none',
  );
  const client = connect(t, { fetch, maxRetries: 0, events: { intervalMs: 5 } });
  const pageType = randomUUID();
  client.track(pageview(pageType));
  await t.throwsAsync(client.flush(), { message: /cannot be reached/ });
  client.track(pageview(pageType));
  let isStored = false;
  while (!isStored)
    isStored = await client.flush().then(
      () => true,
      () => false,
    );
  t.is(await countPageviews(t, pageType), 2);
});

test('a refused event is reported, and the others are stored', async (t) => {
  const lost: LostEvent[] = [];
  const client = connect(t, { events: { onLost: (some) => lost.push(...some) } });
  const pageType = randomUUID();
  client.track(pageview(pageType));
  client.track(pageview(pageType, ''));
  await client.close();
  t.is(await countPageviews(t, pageType), 1);
  t.deepEqual(
    lost.map(({ event, error }) => [event.actionItem, error.violations[0].pointer]),
    [['', '/action_item']],
  );
});
