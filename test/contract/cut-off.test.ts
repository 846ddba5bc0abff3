/**
 * A node loses its database without notice: connections stay open and transmit nothing. What
 * hangs fails the test by never ending; nothing here depends on how long an answer takes.
 */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { bucketOf } from '../../src/repository/buckets.ts';
import { relayTo } from '../support/relay.ts';
import { startServedProcess } from '../support/served-process.ts';
import { startTestService } from '../support/service.ts';
import { createPassingWorker } from './support/passing-worker.ts';
import { startSecondNode } from './support/second-node.ts';

const environment = 'news';
const deployment = `environments: [ { name: ${environment}, item_types: [ { name: article } ] } ]`;
const pollMs = 50;

type Answer = { status: number; retryAfter: string | null; body: unknown };

function createCaller(baseUrl: string, authorization: string) {
  return async (method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: await response.json().catch(() => undefined) };
  };
}

type Call = ReturnType<typeof createCaller>;

let sent = 0;
const createEvents = (count: number, named: boolean) =>
  Array.from({ length: count }, () => ({
    event_type: 'detail_pageview',
    device_id: `d${sent++ % 5}`,
    page_type: 'detail',
    action_item: 'a',
    action_item_type: 'article',
    event_id: named ? `e${sent}` : undefined,
  }));

const post = (call: Call, events: object[]) => call('POST', `/${environment}/events`, { events });

async function count(call: Call): Promise<number> {
  const { status, body } = await call('GET', `/metrics/events?environment=${environment}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return (body as { results: { value: number }[] }).results.reduce((sum, { value }) => sum + value, 0);
}

async function answers(ask: () => Promise<Answer>): Promise<void> {
  while ((await ask()).status !== 200) await delay(pollMs);
}

test('a node without its database refuses writes, delays no other node, and recovers by itself', async (t) => {
  const service = await startTestService(t, deployment);
  const { relay, connection } = await relayTo(service.database.connection);
  const second = await startSecondNode({ database: { ...service.database, connection } }, deployment);
  t.teardown(async () => {
    relay.goOn();
    await second.stop();
    relay.close();
  });
  const here = createCaller(service.baseUrl, service.authorization);
  const there = createCaller(second.baseUrl, service.authorization);
  const putItem = (call: Call) => call('PUT', `/${environment}/items/article/a`, { title: 'Article' });
  await answers(() => putItem(here));
  const lists = [{ configuration_id: 'all', list_name: 'all', list_size: 3 }];
  await here('PUT', '/configurations/all', { configuration_id: 'all', constraints: [] });
  const ask = (call: Call) =>
    call('POST', `/${environment}/recommendations/requests`, { device_id: 'd1', page_type: 'home', lists });
  await answers(() => ask(there));
  const named = createEvents(10, true);
  t.is((await post(there, named.slice(0, 5))).status, 200);

  relay.hold();
  const refused = [
    post(there, named),
    post(there, createEvents(1, false)),
    post(there, createEvents(100, true)),
    putItem(there),
    there('GET', `/metrics/events?environment=${environment}`),
  ];
  const list = ask(there);
  for (const size of [1, 10, 100]) t.is((await post(here, createEvents(size, size > 1))).status, 200);
  t.is(await count(here), 116, 'what was stored over there too');
  for (const answer of await Promise.all(refused)) {
    t.is(answer.status, 503);
    t.regex(answer.retryAfter ?? '', /^\d+$/);
  }
  t.is((await list).status, 200);

  relay.goOn();
  await answers(() => post(there, named));
  await answers(() => putItem(there));
  const { rows } = await service.database.pool.query(
    'select count(distinct event_id) as ids, count(event_id) as named, count(*) as stored from events',
  );
  const [{ ids, named: stored }] = rows;
  t.is(ids, stored, 'no id twice');
  t.is(await count(here), Number(rows[0].stored));
  t.is(await count(there), Number(rows[0].stored));
});

/** By `npm run test:citus`. */
const bucketCount = 8;
const onCluster = process.env.TEST_CITUS === undefined ? undefined : test;

onCluster?.('a worker that goes away takes along what is on it, and brings it back', async (t) => {
  const { databaseUrl, relay, listItsBuckets } = await createPassingWorker(t, process.env.TEST_CITUS!);
  const storage = `storage: { buckets: ${bucketCount} }\n`;
  const served = await startServedProcess({ deployment: storage + deployment, databaseUrl });
  t.teardown(() => served.remove());
  const caller = createCaller(served.baseUrl, served.authorization);
  const ids = Array.from({ length: 24 }, (_, i) => `a${i}`);
  const put = (id: string) => caller('PUT', `/${environment}/items/article/${id}`, { title: id });
  const find = (id: string) => caller('GET', `/${environment}/items/article/${id}`);
  const postOne = (id: string) => post(caller, [{ ...createEvents(1, false)[0], event_id: id }]);
  for (const ask of [put, postOne]) for (const id of ids) t.is((await ask(id)).status, 200);

  const away = await listItsBuckets(bucketCount);
  const isItemAway = (id: string) => away.has(bucketOf(bucketCount, environment, 'article', id));
  t.is(new Set(ids.map(isItemAway)).size, 2, 'some are there, some on the worker');
  relay.cut();
  /** Concurrently, so that the calls share database statements. */
  for (const ask of [find, put]) {
    const asked = await Promise.all(ids.map(ask));
    for (const [i, { status, retryAfter }] of asked.entries()) {
      t.is(status, isItemAway(ids[i]) ? 503 : 200, ids[i]);
      t.is(retryAfter !== null, status === 503);
    }
  }
  const posted = await Promise.all(ids.map((id) => postOne(`later ${id}`)));
  t.deepEqual([...new Set(posted.map(({ status }) => status))].sort(), [200, 503]);

  await relay.mend();
  for (const id of ids) {
    await answers(() => postOne(`later ${id}`));
    await answers(() => put(id));
    t.like((await find(id)).body, { title: id });
  }
  await answers(() => caller('GET', `/metrics/events?environment=${environment}`));
  t.is(await count(caller), 2 * ids.length, 'nothing is lost, and nothing twice');
});

onCluster?.('a worker that falls silent holds up nothing that lies elsewhere', async (t) => {
  const { databaseUrl, relay, listItsBuckets } = await createPassingWorker(t, process.env.TEST_CITUS!);
  const storage = `storage: { buckets: ${bucketCount} }\n`;
  const served = await startServedProcess({ deployment: storage + deployment, databaseUrl });
  t.teardown(async () => {
    relay.goOn();
    await served.remove();
  });
  const caller = createCaller(served.baseUrl, served.authorization);
  const ids = Array.from({ length: 24 }, (_, i) => `a${i}`);
  const find = (id: string) => caller('GET', `/${environment}/items/article/${id}`);
  for (const id of ids) await caller('PUT', `/${environment}/items/article/${id}`, { title: id });
  const away = await listItsBuckets(bucketCount);
  const isAway = (id: string) => away.has(bucketOf(bucketCount, environment, 'article', id));
  const [gone, here] = [ids.filter(isAway), ids.filter((id) => !isAway(id))];

  relay.hold();
  /** More calls than connections, repeatedly, like visitors. */
  const crowd = () => Array.from({ length: 40 }, (_, i) => find(gone[i % gone.length]));
  const refused = await Promise.all(crowd());
  for (let round = 0; round < 3; round++) {
    const more = Promise.all(crowd());
    for (const { status } of await Promise.all(here.map(find))) t.is(status, 200);
    t.is((await caller('GET', '/configurations')).status, 200);
    refused.push(...(await more));
  }
  for (const { status, retryAfter } of refused) {
    t.is(status, 503);
    t.regex(retryAfter ?? '', /^\d+$/);
  }

  relay.goOn();
  for (const id of gone) await answers(() => find(id));
});
