/**
 * Cost of the largest permitted value of each field of a public request, compared with a list of ten.
 *
 * Costs are ratios of the same run, so that the machine does not matter: processor time of the thread that answers, bytes of the
 * answer, of the heap and of the database.
 */

import test, { type ExecutionContext } from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { createStreamClients, exchangeAll } from '../support/rpc-streams.ts';
import { type Bounds, boundsOf, mostHeapBytes } from './costs/bounds.ts';
import type { Sent } from './costs/caller-thread.ts';
import { dimensionsOf } from './costs/dimensions.ts';
import { largest } from './costs/largest.ts';
import {
  busyDevice,
  dimensions,
  itemCount,
  type Json,
  largestPage,
  lookOf,
  nonce,
  type PublicRequest,
  publicRequests,
  words,
} from './costs/largest-requests.ts';
import { type Cost, createMeter, type Meter } from './costs/measure.ts';
import { publicOperations } from './costs/public-operations.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const origin = 'https://shop.example';

const service = testedService(`
environments:
  - name: shop
    item_types:
      - name: product
        reconsumable: true
        properties:
          - { name: brand, type: string, filterable: true, returnable: true, searchable: { weight: 2 } }
          - { name: price, type: number, filterable: true, returnable: true }
          - { name: in_stock, type: boolean, filterable: true, returnable: true }
        vectors: [ { name: look, dimensions: ${dimensions} } ]
    filter_fields: [categories, language, brand, price, in_stock]
`);

let meter: Meter;
let writeKey: string;
let listCpuUs: number;
const listKeys: Record<string, string> = {};

const http = () => createJsonClient(service);

/** Flushes buffered counts to the database. */
const settle = () => http().get('/metrics/requests?environment=shop');

test.serial.before(async () => {
  meter = createMeter(service.database, settle);
  await http().put(`/configurations/${'c'.repeat(256)}`, { constraints: [] });
  const rpc = createStreamClients(service);
  const items = Array.from({ length: itemCount }, (_, i) => ({ line: i, json: JSON.stringify(itemOf(i)) }));
  await exchangeAll(rpc.items.importItems(rpc.metadata), [{ environment: 'shop', items } as never]);
  rpc.close();
  const variable = { variable: { name: 'wanted', default: 'lamp' } };
  await http().put('/configurations/plain', { constraints: [] });
  await http().put('/configurations/pinned', {
    pins: Array.from({ length: 50 }, (_, i) => ({ item_id: `i${i}`, rank: i + 1 })),
    hides: Array.from({ length: 500 }, (_, i) => ({ item_id: `i${i + 100}` })),
  });
  await http().put('/configurations/reading', {
    constraints: ['brand', 'title', 'categories'].map((key) => ({
      query: { key, match: { not: variable } },
    })),
    preferences: [{ query: { key: 'description', contains: variable } }],
  });
  await http().put('/shop/pages/largest', largestPage);
  await fillHistory();
  writeKey = await createClients(service).createWriteKey({ scopes: ['events:shop'], origins: [origin] });
});

test.after.always(() => meter?.stop());

/** More purchases of different items than a history keeps. */
async function fillHistory(): Promise<void> {
  const purchase = {
    event_type: 'purchase',
    page_type: 'checkout',
    device_id: busyDevice,
    user_id: busyDevice,
  };
  for (let page = 0; page < 10; page++) {
    const events = Array.from({ length: 1_000 }, (_, i) => ({
      ...purchase,
      action_item: `i${page * 1_000 + i}`,
    }));
    await http().post('/shop/events', { events });
  }
  await settle();
}

const itemOf = (i: number) => ({
  ...{ item_id: `i${i}`, item_type: 'product', title: `${words[i % 10]} ${words[(i >> 3) % 10]} ${i}` },
  ...{ brand: `b${i % 120}`, price: i % 500, in_stock: i % 2 === 0, language: 'en', tags: [words[i % 7]] },
  ...{ categories: [`c${i % 40}/d${i % 200}`], uri: `https://shop.example/${i}` },
  look: lookOf(i),
  description: Array.from({ length: 120 }, (_, w) => words[(i * 7 + w * 3) % 10]).join(' '),
});

/** The request as sent, different in every attempt. */
function senderOf(operation: string, { path, method }: PublicRequest, { partial, ...given }: Json) {
  const listKey = listKeys[operation];
  const body = listKey === undefined ? given : { list_key: listKey, ...given };
  const isRead = method === 'GET';
  const isEvent = ['EventService/CreateEvents', 'VisitorService/CreateVisitorControl'].includes(operation);
  const headers: Record<string, string> = isRead ? {} : { 'content-type': 'application/json' };
  if (isEvent) Object.assign(headers, { authorization: `Bearer ${writeKey}`, origin });
  const query = isRead ? queryOf(body) : partial === undefined ? '' : queryOf({ partial });
  const text = isRead ? undefined : JSON.stringify(body);
  return (attempt: number): Sent => ({
    url: `${service.baseUrl}${path}${query}`.replaceAll(nonce, String(attempt)),
    method,
    headers,
    body: text?.replaceAll(nonce, String(attempt)),
  });
}

function queryOf(parameters: Json): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  return `?${query}`;
}

/** A visitor's list of ten, after a warm-up. */
test.serial.before(async () => {
  const [recommended, searched] = [
    'RecommendationService/CreateRecommendations',
    'SearchService/CreateSearch',
  ];
  const ofLists = senderOf(recommended, publicRequests[recommended], publicRequests[recommended].plain);
  for (let i = 0; i < 300; i++) await meter.send(ofLists(i + 50_000));
  const costs: Cost[] = [];
  for (let i = 0; i < 15; i++) costs.push(await meter.measure(ofLists));
  listCpuUs = costs.map(({ cpuUs }) => cpuUs).sort((a, b) => a - b)[7];
  const ofResults = senderOf(searched, publicRequests[searched], publicRequests[searched].plain);
  listKeys['RecommendationService/GetRecommendationList'] = keyIn(costs[0]);
  listKeys['SearchService/GetSearchList'] = keyIn(await meter.send(ofResults(1)));
});

const keyIn = ({ start }: { start: string }) => /"list_key":"([^"]+)"/.exec(start)![1];

type CostRow = { name: string; body: Json | undefined };

function rowsOf(operation: string): CostRow[] {
  const request = publicRequests[operation];
  return [
    { name: 'plain', body: request.plain },
    ...dimensionsOf(operation).map((one) => ({ name: one.path, body: largest(request, one) })),
    ...Object.entries(request.combinations).map(([name, row]) => ({ name, body: row(request.full) })),
  ];
}

function isWithinBounds(t: ExecutionContext, name: string, { cpuUs, ...cost }: Cost): void {
  const lists = cpuUs / listCpuUs;
  const { start, status, ...found } = { ...cost, lists };
  const bounds = boundsOf(name);
  for (const measure of Object.keys(bounds) as (keyof Bounds)[])
    t.true(found[measure] <= bounds[measure], `${name}: ${measure} ${found[measure]} > ${bounds[measure]}`);
  const said = Object.entries(found).map(([measure, value]) => `${measure} ${value.toFixed(1)}`);
  t.log(`${name}: ${status}, ${said.join(', ')}`);
}

for (const operation of publicOperations)
  test.serial(`${operation}: no allowed request costs more than its bound`, async (t) => {
    const refused = operation === 'TokenService/CreateToken' ? 401 : 200;
    const heldBytes = await meter.heldAfter(async () => {
      for (const { name, body } of rowsOf(operation)) {
        if (body === undefined) {
          t.fail(`${name}: costs/largest-requests.ts does not say what is the largest of it.`);
          continue;
        }
        const cost = await meter.measure(senderOf(operation, publicRequests[operation], body));
        t.is(cost.status, refused, `${name}: ${cost.start}`);
        isWithinBounds(t, name, cost);
      }
    });
    t.log(`${heldBytes} bytes of the heap`);
    t.true(heldBytes <= mostHeapBytes, `${heldBytes} bytes of the heap`);
  });

test.serial('a page that sends too many events is refused, and leaves no rows', async (t) => {
  const operation = 'EventService/CreateEvents';
  const [one] = publicRequests[operation].plain.events as Json[];
  const sender = senderOf(operation, publicRequests[operation], { events: Array(1_001).fill(one) });
  const cost = await meter.measure(sender);
  t.is(cost.status, 400);
  t.regex(cost.start, /at most 1000 events in one request; there are 1001/);
  t.is(cost.rows, 0);
  isWithinBounds(t, 'too many events', cost);
});

test.serial('documents cost no more than the bound of other requests', async (t) => {
  const { origin: address, baseUrl } = service;
  const places = ['/openapi.json', '/docs', '/.well-known/jwks.json', '/.well-known/personalisation'];
  for (const url of [...places.map((place) => baseUrl + place), `${address}/healthz`, `${address}/readyz`]) {
    const cost = await meter.measure(() => ({ url, method: 'GET', headers: {} }));
    t.is(cost.status, 200, url);
    isWithinBounds(t, url, cost);
  }
});
