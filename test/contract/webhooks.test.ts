/** Webhooks of a running service, with a real receiver. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { Webhook as Verifier } from 'standardwebhooks';
import { raiseAlert } from '../../src/repository/alerts/alerts.ts';
import { createJsonClient } from '../support/json-client.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
webhooks: { allowed_networks: [127.0.0.0/8] }
environments:
  - { name: shop, item_types: [ { name: product } ] }
  - { name: news, item_types: [ { name: product } ] }
`);
const http = createJsonClient(service);

type Hook = { webhook_id: string; state: string; failed_attempts: number; cursor: string; secret?: string };
type Created = { webhook: Hook; secret: string };
type Delivery = { change_id: string; kind: string; status?: number; error: string };

async function createHook(url: string, more: object = {}, environment = 'shop') {
  const { status, body } = await http.post<Created>(`/${environment}/webhooks`, { url, ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { path: `/${environment}/webhooks/${body.webhook.webhook_id}`, secret: body.secret };
}

const headersOf = ({ headers }: Received) => headers as Record<string, string>;
const writeItem = (id: string, environment = 'shop') =>
  http.put(`/${environment}/items/product/${id}`, { title: id });
const itemIdsOf = ({ event }: Received) =>
  ((event.data.items ?? []) as { item_id: string }[]).map(({ item_id }) => item_id);

test.serial('each change arrives as a signed CloudEvent in its environment only', async (t) => {
  const receiver = await startReceiver(t);
  const { secret } = await createHook(receiver.url);
  await writeItem('elsewhere', 'news');
  await writeItem('chair');
  await http.put('/configurations/home', {});
  const deviation = {
    placement: 'home',
    metric: 'fill',
    fromHour: 1,
    usedHour: 2,
    expected: 1,
    observed: 0.5,
  };
  await raiseAlert(service.database, 'shop', deviation, new Date());
  await receiver.until(({ length }) => length >= 3);
  const types = receiver.received.map(({ event }) => event.type).toSorted();
  t.deepEqual(types, [
    'personalisation.alert.raised',
    'personalisation.configuration.published',
    'personalisation.items.changed',
  ]);
  for (const one of receiver.received) {
    t.is(one.headers['webhook-id'], one.event.id);
    t.is(one.headers['content-type'], 'application/cloudevents+json; charset=utf-8');
    t.deepEqual(new Verifier(secret).verify(one.text, headersOf(one)), one.event);
  }
  t.deepEqual(receiver.received.flatMap(itemIdsOf), ['chair']);
});

test.serial('a rotated secret signs beside the earlier one, and alone without overlap', async (t) => {
  const receiver = await startReceiver(t);
  const { path, secret } = await createHook(receiver.url, { kinds: ['items.changed'] });
  const rotate = async (overlap_hours?: number) =>
    (await http.post<{ secret: string }>(`${path}/secrets`, { overlap_hours })).body.secret;
  const second = await rotate();
  await http.post(`${path}/tests`);
  const third = await rotate(0);
  await http.post(`${path}/tests`);
  const [both, alone] = receiver.received;
  for (const known of [secret, second])
    t.notThrows(() => new Verifier(known).verify(both.text, headersOf(both)));
  t.notThrows(() => new Verifier(third).verify(alone.text, headersOf(alone)));
  for (const old of [secret, second]) t.throws(() => new Verifier(old).verify(alone.text, headersOf(alone)));
  const { body } = await http.get<Hook>(path);
  t.false(JSON.stringify(body).includes('whsec_'));
});

test.serial(
  'a receiver that fails, then restarts, gets every change with the same id, and another is not delayed',
  async (t) => {
    const [failing, slow, quick] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
    const kinds = ['items.changed'];
    const { path } = await createHook(failing.url, { kinds });
    await createHook(slow.url, { kinds });
    await createHook(quick.url, { kinds });
    failing.answerWith((response) => void response.writeHead(500).end());
    slow.answerWith(() => undefined);
    await writeItem('lamp');
    await quick.until((all) => all.flatMap(itemIdsOf).includes('lamp'));
    await failing.until(({ length }) => length > 0);
    const { port } = new URL(failing.url);
    await failing.stop();
    await writeItem('sofa');
    const restarted = await startReceiver(t, Number(port));
    await restarted.until((all) => new Set(all.flatMap(itemIdsOf)).size === 2);
    const idOf = (all: Received[], item: string) =>
      all.find((one) => itemIdsOf(one).includes(item))!.event.id;
    t.is(idOf(restarted.received, 'lamp'), idOf(failing.received, 'lamp'));
    t.is(idOf(restarted.received, 'lamp'), idOf(quick.received, 'lamp'));
    const { body } = await http.get<{ deliveries: Delivery[] }>(`${path}/deliveries`);
    t.true(body.deliveries.some(({ status, error }) => status === 500 && error !== ''));
    t.true(body.deliveries.some(({ status }) => status === 204));
  },
);

test.serial('410 disables a webhook, and an update resumes it where it was', async (t) => {
  const receiver = await startReceiver(t);
  const { path } = await createHook(receiver.url, { kinds: ['items.changed'] });
  receiver.answerWith((response) => void response.writeHead(410).end());
  await writeItem('desk');
  while ((await http.get<Hook>(path)).body.state !== 'disabled') await delay(50);
  receiver.answerWith((response) => void response.writeHead(204).end());
  const [{ event: refused }] = receiver.received;
  t.is((await http.put(path, { url: receiver.url, kinds: ['items.changed'] })).status, 200);
  await receiver.until(({ length }) => length === 2);
  t.is(receiver.received[1].event.id, refused.id);
});

test.serial('a replay sends the changes after a cursor again, with the same ids', async (t) => {
  const receiver = await startReceiver(t);
  const { path } = await createHook(receiver.url, { kinds: ['items.changed'] });
  const { cursor } = (await http.get<Hook>(path)).body;
  await writeItem('vase');
  await receiver.until(({ length }) => length === 1);
  t.is((await http.post(`${path}/replays`, { after: cursor })).status, 200);
  await receiver.until(({ length }) => length === 2);
  t.is(receiver.received[0].event.id, receiver.received[1].event.id);
  t.is((await http.post(`${path}/replays`)).status, 200);
  await receiver.until((all) => new Set(all.flatMap(itemIdsOf)).size > 1);
  t.deepEqual((await http.post(`${path}/replays`, { after: '1-2' })).pointers, ['/after']);
});

test.serial('a cursor behind the newest change is refused, here and for readers of changes', async (t) => {
  const receiver = await startReceiver(t);
  const { path } = await createHook(receiver.url);
  const after = (await http.get<Hook>(path)).body.cursor.replace(/\d+$/, '999999999');
  t.deepEqual((await http.post(`${path}/replays`, { after })).pointers, ['/after']);
  t.is((await http.get(`/shop/changes?after=${after}`)).status, 400);
});

test.serial('a webhook that was away too long is told that changes are lost', async (t) => {
  const receiver = await startReceiver(t);
  const { path } = await createHook(receiver.url, { kinds: ['items.changed'] });
  const edit = { url: receiver.url, kinds: ['items.changed'] };
  await http.put(path, { ...edit, state: 'disabled' });
  const { cursor } = (await http.get<Hook>(path)).body;
  await writeItem('deleted meanwhile');
  await service.database.pool.query('delete from changes');
  await http.put(path, { ...edit, state: 'active' });
  await receiver.until(({ length }) => length > 0);
  t.like(receiver.received[0].event, { type: 'personalisation.changes.lost', source: '/shop' });
  await writeItem('later');
  await receiver.until((all) => all.flatMap(itemIdsOf).includes('later'));
  t.is(receiver.received.length, 2);
  t.is((await http.get(`/shop/changes?after=${cursor}`)).status, 400);
  t.is((await http.post(`${path}/replays`)).status, 200);
  await receiver.until(({ length }) => length > 2);
  t.deepEqual(itemIdsOf(receiver.received[2]), ['later'], 'a replay of all begins with the oldest');
});

test.serial('concurrent rotations keep the secrets of each', async (t) => {
  const receiver = await startReceiver(t);
  const { path } = await createHook(receiver.url);
  const rotate = async () => (await http.post<{ secret: string }>(`${path}/secrets`)).body.secret;
  const added = await Promise.all([rotate(), rotate(), rotate()]);
  await http.post(`${path}/tests`);
  const [{ text, headers }] = receiver.received;
  for (const secret of added)
    t.notThrows(() => new Verifier(secret).verify(text, headers as Record<string, string>));
});

test.serial('concurrent creations keep the limit of webhooks', async (t) => {
  const create = () => http.post('/news/webhooks', { url: 'https://shop.example/hooks' });
  const created = await Promise.all(Array.from({ length: 60 }, create));
  t.is(created.filter(({ status }) => status === 200).length, 50);
  const { body } = await http.get<{ webhooks: Hook[] }>('/news/webhooks?page_size=200');
  t.is(body.webhooks.length, 50);
  await service.database.pool.query("delete from webhooks where environment = 'news'");
});

test.serial('neither a private address nor a redirect to one is reached', async (t) => {
  const [redirecting, secret] = [await startReceiver(t), await startReceiver(t)];
  for (const url of [
    'http://169.254.169.254/latest',
    'https://10.0.0.1',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]',
  ])
    t.deepEqual((await http.post('/shop/webhooks', { url })).pointers, ['/url'], url);
  redirecting.answerWith((response) => void response.writeHead(302, { location: secret.url }).end());
  const { path } = await createHook(redirecting.url);
  const { body } = await http.post<Delivery>(`${path}/tests`);
  t.is(body.status, 302);
  t.regex(body.error, /redirects are not followed/);
  t.is(secret.received.length, 0);
  /** Names are checked when they are resolved: this one is accepted, and refused on connecting. */
  const named = await createHook(`http://localhost:${new URL(secret.url).port}/`, {}, 'news');
  const tried = await http.post<Delivery>(`${named.path}/tests`);
  t.is(tried.body.status, 204);
});
