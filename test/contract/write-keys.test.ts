/** A public write key cannot change other subjects' lists and data. */

import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import type { TestService } from '../support/service.ts';
import { createClients } from './support/clients.ts';
import type { Accepted } from './support/intake.ts';
import { testedService } from './support/tested-service.ts';

const origin = 'https://shop.example';

const service = testedService(`
server: { cors_origins: ["${origin}"] }
environments: [ { name: shop, item_types: [ { name: product, reconsumable: true } ] } ]`);

let backEnd: JsonClient;
let frontEnd: JsonClient;

test.before(async () => {
  backEnd = createJsonClient(service);
  const writeKey = await createClients(service).createWriteKey({
    scopes: ['events:shop'],
    origins: [origin],
  });
  const page = createJsonClient({ baseUrl: service.baseUrl, authorization: `Bearer ${writeKey}` });
  frontEnd = { ...page, post: (path, body) => page.post(path, body, { origin }) };
});

const send = async (http: JsonClient, ...events: object[]): Promise<Accepted> => {
  const { status, body } = await http.post<Accepted>('/shop/events', { events });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

const visit = { event_type: 'page_visit', page_type: 'home' };
const purchase = { event_type: 'purchase', action_item: 'lamp', purchased_price: 20 };

test('event ids used first by a write key block no purchase of the back end', async (t) => {
  const orders = ['order-1', 'order-2'];
  await send(frontEnd, ...orders.map((event_id) => ({ ...visit, device_id: 'thief', event_id })));
  await send(frontEnd, ...orders.map((event_id) => ({ ...purchase, device_id: 'thief', event_id })));
  const answer = await send(
    backEnd,
    ...orders.map((event_id) => ({ ...purchase, user_id: 'anna', event_id })),
  );
  t.like(answer, { accepted_count: 2, duplicate_count: 0, duplicate_indexes: [] });
});

test('the answer reports the events with known ids', async (t) => {
  const order = { ...purchase, user_id: 'berta', event_id: 'order-3' };
  t.like(await send(backEnd, order), { accepted_count: 1, duplicate_count: 0 });
  t.like(await send(backEnd, { ...visit, device_id: 'd' }, order, { ...order, event_id: 'order-4' }, order), {
    accepted_count: 4,
    duplicate_count: 2,
    duplicate_indexes: [1, 3],
  });
  const { body } = await backEnd.post<Accepted>('/shop/events?partial=true', {
    events: [{ event_type: 'purchase' }, order],
  });
  t.like(body, { accepted_count: 1, duplicate_count: 1, duplicate_indexes: [1] });
});

test('an export or deletion of a user excludes another user’s device that a write key names', async (t) => {
  const seen = { event_type: 'detail_pageview', page_type: 'detail', action_item: 'lamp' };
  await send(frontEnd, { ...seen, device_id: 'victim' });
  await send(frontEnd, { ...seen, device_id: 'victim', user_id: 'thief' });
  const eventsOf = async (path: string) => {
    const { records } = await readPerson(service, path);
    return records.filter(({ record }) => record === 'event').length;
  };
  t.is(await eventsOf('/shop/users/thief'), 1);
  t.is(await eventsOf('/shop/devices/victim'), 2);
  const { body } = await backEnd.send<Deleted>('DELETE', '/shop/users/thief');
  t.is(body.receipt.deleted.events, 1);
  t.is(await eventsOf('/shop/devices/victim'), 1);
});

test('a client with a token links a device, and a write key moves no link', async (t) => {
  const seen = { event_type: 'detail_pageview', page_type: 'detail', action_item: 'lamp' };
  await send(backEnd, { ...seen, device_id: 'tablet' }, { ...visit, device_id: 'tablet', user_id: 'carla' });
  await send(frontEnd, { ...visit, device_id: 'tablet', user_id: 'thief-2' });
  const { records } = await readPerson(service, '/shop/users/carla');
  t.is(records.filter(({ record }) => record === 'event').length, 2);
  const ofThief = await readPerson(service, '/shop/users/thief-2');
  t.is(ofThief.records.filter(({ record }) => record === 'event').length, 1);
});

type Deleted = { receipt: { deleted: Record<string, number> } };

async function readPerson({ baseUrl, authorization }: TestService, path: string) {
  const response = await fetch(baseUrl + path, { headers: { authorization } });
  const lines = (await response.text()).split('\n').filter(Boolean);
  return { records: lines.map((line) => JSON.parse(line) as { record: string }) };
}
