/** Standing interests of a running service: new articles reach their readers through a webhook. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(
  `
webhooks: { allowed_networks: [127.0.0.0/8] }
environments:
  - name: news
    integration_types: [push, email]
    item_types: [ { name: article } ]
  - { name: other, item_types: [ { name: article } ] }
`,
  { trains: true },
);
const http = createJsonClient(service);
const path = '/news/interests/fresh';
const interest = { filter: [{ key: 'categories', match: 'sport' }], integration_type: 'push' };

const write = (id: string, more: object = {}) =>
  http.put(`/news/items/article/${id}`, { title: `Report ${id}`, categories: ['sport'], ...more });
const usersOf = (received: Received[], item: string) =>
  received
    .filter(({ event }) => event.data.item_id === item)
    .flatMap(({ event }) => event.data.user_ids as string[])
    .toSorted();
const follow = async (t: Parameters<typeof startReceiver>[0]) => {
  const receiver = await startReceiver(t);
  await http.post('/news/webhooks', { url: receiver.url, kinds: ['interest.matched'] });
  return receiver;
};
const announced = (item: string) => (received: Received[]) =>
  received.some(({ event }) => event.data.item_id === item);
const names = (kind: string, count = 12) => Array.from({ length: count }, (_, i) => `${kind}-${i}`);
const sporty = names('sport').toSorted();

/** Readers of sport and of politics, who read six articles each, and one who has opted out. */
test.before(async () => {
  for (const kind of ['sport', 'politics'])
    for (const item of names(`old-${kind}`)) await write(item, { categories: [kind] });
  const views = ['sport', 'politics'].flatMap((kind) =>
    [...names(kind), `${kind}-silent`].flatMap((user_id) =>
      names(`old-${kind}`, 6).map((action_item) => ({
        event_type: 'detail_pageview',
        page_type: 'detail',
        action_item,
        action_item_type: 'article',
        ...{ user_id, device_id: `d-${user_id}` },
      })),
    ),
  );
  const out = { event_type: 'cancel_subscription', page_type: 'other', integration_type: 'push' };
  const optOut = { ...out, user_id: 'sport-silent', device_id: 'd-sport-silent' };
  const stranger = { ...views[0], user_id: undefined, device_id: 'no-user' };
  const { status, body } = await http.post('/news/events', { events: [...views, optOut, stranger] });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { body: begun } = await http.post<{ training_id: string }>('/news/models/trainings');
  for (;;) {
    const { body: found } = await http.get<{ state: string }>(`/news/models/trainings/${begun.training_id}`);
    if (found.state === 'published') return;
    if (found.state !== 'queued' && found.state !== 'running') throw new Error(JSON.stringify(found));
    await delay(50);
  }
});

test.serial(
  'a new article is announced to its readers within two seconds, and other items are not',
  async (t) => {
    const receiver = await follow(t);
    t.is((await http.put(path, interest)).status, 200);
    /** The first announcement of a node waits until its events are read. */
    await write('first');
    await receiver.until(announced('first'));
    await write('old-sport-1', { title: 'An edit.' });
    await write('law', { categories: ['politics'] });
    await write('hidden', { categories: ['politics'] });
    await http.post('/news/items/article/hidden/disable');
    await write('hidden');
    const startMs = performance.now();
    await write('goal');
    await receiver.until(announced('goal'));
    const tookMs = performance.now() - startMs;
    t.true(tookMs < 2_000, `${tookMs} ms`);
    t.deepEqual(usersOf(receiver.received, 'goal'), sporty);
    t.like(receiver.received[0].event.data, {
      interest_id: 'fresh',
      item_type: 'article',
      held_out_count: 0,
    });
    await http.post('/news/items/article/hidden/enable');
    await receiver.until(announced('hidden'));
    t.deepEqual(usersOf(receiver.received, 'hidden'), sporty);
    t.is(receiver.received.length, 3);
  },
);

test.serial('an article is announced at its publication', async (t) => {
  const receiver = await follow(t);
  await http.put(path, { ...interest, items_per_user: 100 });
  await write('later', { publication_datetime: new Date(Date.now() + 1_500).toISOString() });
  await write('now');
  await receiver.until(announced('later'));
  t.deepEqual(
    receiver.received.map(({ event }) => event.data.item_id),
    ['now', 'later'],
  );
});

test.serial('the frequency cap and the limits of an interest hold', async (t) => {
  const receiver = await follow(t);
  await http.send('DELETE', path);
  await http.put('/news/interests/capped', { ...interest, users_per_item: 8, items_per_user: 2 });
  for (const item of ['a', 'b', 'c', 'd']) await write(item);
  await receiver.until((all) => all.length >= 3);
  await http.put('/news/interests/end', interest);
  await write('last');
  await receiver.until(announced('last'));
  const own = receiver.received.filter(({ event }) => event.data.interest_id === 'capped');
  const counts = new Map<string, number>();
  for (const { event } of own)
    for (const user of event.data.user_ids as string[]) counts.set(user, (counts.get(user) ?? 0) + 1);
  t.deepEqual([...counts.keys()].toSorted(), sporty);
  t.true([...counts.values()].every((count) => count === 2));
  t.true(own.every(({ event }) => (event.data.user_ids as string[]).length <= 8));
  for (const name of ['capped', 'end']) await http.send('DELETE', `/news/interests/${name}`);
});

test.serial('the hold-out is stable', async (t) => {
  const receiver = await follow(t);
  await http.put('/news/interests/held', { ...interest, hold_out_share: 0.5 });
  for (const item of ['one', 'two']) {
    await write(item);
    await receiver.until(announced(item));
  }
  const [one, two] = ['one', 'two'].map((item) => usersOf(receiver.received, item));
  t.true(one.length > 0 && one.length < sporty.length, String(one));
  t.deepEqual(one, two);
  t.is(receiver.received[0].event.data.held_out_count, sporty.length - one.length);
  await http.send('DELETE', '/news/interests/held');
});

test.serial('an item that is processed again is announced once, and deleted people disappear', async (t) => {
  const receiver = await follow(t);
  await http.put(path, { ...interest, items_per_user: 100 });
  await write('again');
  await receiver.until(announced('again'));
  const { pool } = service.database;
  /** As if the node had stopped before it stored how far it has read. */
  await pool.query(`update interests set position = '[]'`);
  await write('behind');
  await receiver.until(announced('behind'));
  t.is(receiver.received.filter(({ event }) => event.data.item_id === 'again').length, 1);
  const exported = await fetch(`${service.baseUrl}/news/users/sport-3`, {
    headers: { authorization: service.authorization },
  });
  t.regex(await exported.text(), /"record":"interest_match".*"item_id":"again"/);
  t.is((await http.send('DELETE', '/news/users/sport-3')).status, 200);
  const { rows } = await pool.query(`select data::text from changes where kind = 'interest.matched'`);
  const holds = (user: string) => rows.some(({ data }) => data.includes(`"${user}"`));
  t.deepEqual([holds('sport-3'), holds('sport-4')], [false, true]);
  await write('after');
  await receiver.until(announced('after'));
  t.deepEqual(
    usersOf(receiver.received, 'after'),
    sporty.filter((user) => user !== 'sport-3'),
  );
});

test.serial('an interest is stored, read, listed and deleted; faults are named', async (t) => {
  const stored = { interest_id: 'fresh', ...interest };
  t.deepEqual((await http.put(path, interest)).body, stored);
  t.deepEqual((await http.get(path)).body, stored);
  t.deepEqual((await http.get('/news/interests')).body, { interests: [stored] });
  t.deepEqual((await http.get('/other/interests')).body, { interests: [] });
  const refusals: [object, string][] = [
    [{ filter: [{ key: 'size', match: 1 }] }, '/filter/0/key'],
    [{ filter: [{ key: 'categories', match: { variable: { name: 'category' } } }] }, '/filter/0'],
    [{ period_hours: 1_000 }, '/period_hours'],
    [{ interest_id: 'x' }, '/interest_id'],
    [{ integration_type: 'letter' }, '/integration_type'],
  ];
  for (const [fault, pointer] of refusals)
    t.deepEqual((await http.put(path, { ...interest, ...fault })).pointers, [pointer], pointer);
  t.is((await http.send('DELETE', path)).status, 200);
  for (const method of ['GET', 'DELETE'] as const)
    t.is((await http.send(method, path)).reason, 'interest_unknown');
});

test.serial('only callers who may read users see them in the changes', async (t) => {
  const kindsFor = async (scope: string) => {
    const { authorization } = await createClients(service).create('configurations:news', scope);
    const response = await fetch(`${service.baseUrl}/news/changes`, { headers: { authorization } });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return new Set(lines.map((line) => JSON.parse(line).type));
  };
  const kind = 'personalisation.interest.matched';
  t.deepEqual(
    (await Promise.all(['items:news', 'audiences:other', 'audiences:news'].map(kindsFor))).map((kinds) =>
      kinds.has(kind),
    ),
    [false, false, true],
  );
});
