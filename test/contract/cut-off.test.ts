/**
 * A node that is cut off from the database, while nobody says so: its connections stay open and pass nothing on. What
 * hangs fails the test by never ending; nothing here depends on how long an answer takes.
 */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { relayTo } from '../support/relay.ts';
import { startTestService } from '../support/service.ts';
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

test('a node that is cut off refuses what it cannot store, holds up no other, and comes back by itself', async (t) => {
  t.timeout(300_000);
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
