/** Bulk streams: answers to a batch, and required scopes. */

import { randomUUID } from 'node:crypto';
import type { ServiceError } from '@grpc/grpc-js';
import test from 'ava';
import { Event, EventType } from '../../gen/grpc/personalisation/v1/event.ts';
import type {
  ImportEventsRequest,
  ImportEventsResponse,
} from '../../gen/grpc/personalisation/v1/event_service.ts';
import { Item } from '../../gen/grpc/personalisation/v1/item.ts';
import type {
  ExportItemsResponse,
  ImportItemsRequest,
  ImportItemsResponse,
} from '../../gen/grpc/personalisation/v1/item_service.ts';
import { createJsonClient } from '../support/json-client.ts';
import {
  createStreamClients,
  exchangeAll,
  exportEvents,
  readAll,
  type StreamClients,
} from '../support/rpc-streams.ts';
import { requestToken, startTestService, type TestService } from '../support/service.ts';
import { answerOf, createGrpcCaller } from './support/grpc.ts';
import type { Outcome } from './support/operation.ts';

const environments = [
  'items',
  'forms',
  'types',
  'again',
  'events',
  'copy',
  'ranges',
  'untimed',
  'first',
  'second',
  'limits',
];

const deployment = `environments:${environments
  .map(
    (name) => `
  - name: ${name}
    item_types:
      - name: article
        properties: [ { name: price, type: number } ]
      - name: video`,
  )
  .join('')}`;

let service: TestService;
let rpc: StreamClients;

test.before(async () => {
  service = await startTestService({ teardown: () => undefined }, deployment);
  rpc = createStreamClients(service);
});

test.after.always(async () => {
  rpc?.close();
  await service?.stop();
});

type Line = { line: number; json: string };

/** Numbers each document as a record, from line 1. */
const lines = (documents: unknown[]): Line[] =>
  documents.map((document, i) => ({
    line: i + 1,
    json: typeof document === 'string' ? document : JSON.stringify(document),
  }));

const importItems = (
  requests: ImportItemsRequest[],
  { items, metadata } = rpc,
): Promise<ImportItemsResponse[]> => exchangeAll(items.importItems(metadata), requests);

const importEvents = (
  requests: ImportEventsRequest[],
  { events, metadata } = rpc,
): Promise<ImportEventsResponse[]> => exchangeAll(events.importEvents(metadata), requests);

async function exportItems(environment: string, itemTypes: string[] = []) {
  const stream = rpc.items.exportItems({ environment, item_types: itemTypes }, rpc.metadata);
  const batches = await readAll<ExportItemsResponse>(stream);
  return batches.flatMap(({ items }) => items.map(({ json, enabled }) => ({ ...JSON.parse(json), enabled })));
}

/** The outcome of a stream in the form of single calls. */
async function failureOf(call: Promise<unknown>): Promise<Outcome & { code: number }> {
  try {
    await call;
  } catch (error) {
    const { status, outcome } = answerOf(error as ServiceError);
    return { ...outcome, code: status };
  }
  throw new Error('The stream ended well.');
}

const article = (id: string, rest: object = {}) => ({ item_type: 'article', item_id: id, ...rest });

test('a batch stores its valid items and reports the others by line and field', async (t) => {
  const documents = [
    article('1', { title: 'One', price: 1.5 }),
    article('2', { price: 'cheap' }),
    article('3', { colour: 'red' }),
    { item_type: 'article' },
    { item_type: 'opera', item_id: '5' },
    '{ no JSON',
    '[]',
    article('8', { environment: 'elsewhere' }),
    article('9', { title: 'Nine' }),
  ];
  const [answer] = await importItems([{ environment: 'items', items: lines(documents) }]);
  t.is(answer.accepted_count, 2);
  t.deepEqual(
    answer.refused.map(({ line, details }) => [line, details.map(({ pointer }) => pointer)]),
    [
      [2, ['/price']],
      [3, ['/colour']],
      [4, ['/item_id']],
      [5, ['/item_type']],
      [6, ['']],
      [7, ['']],
      [8, ['/environment']],
    ],
  );
  t.true(answer.refused.every(({ details }) => details.every(({ detail }) => detail.length > 0)));
  const identity = { environment: 'items', item_type: 'article', enabled: true };
  t.deepEqual(await exportItems('items'), [
    { ...identity, item_id: '1', title: 'One', price: 1.5 },
    { ...identity, item_id: '9', title: 'Nine' },
  ]);
});

test('an item may be a message, and its violations carry its line', async (t) => {
  const message = (rest: Partial<Item>) => Item.fromPartial({ item_type: 'article', ...rest });
  const items = [
    { line: 10, item: message({ item_id: 'm', title: 'Message', properties: { price: 2 } }) },
    { line: 20, item: message({ item_id: 'x'.repeat(257) }) },
    { line: 30, item: message({ item_id: 'p', properties: { price: 'cheap' } }) },
    { line: 40 },
    { line: 50, item: message({ item_id: 'n', title: 'Next' }) },
  ];
  const [answer] = await importItems([{ environment: 'forms', items }]);
  t.is(answer.accepted_count, 2);
  t.deepEqual(
    answer.refused.map(({ line, details }) => [line, details[0].pointer]),
    [
      [20, '/item_id'],
      [30, '/price'],
      [40, ''],
    ],
  );
  t.deepEqual(
    (await exportItems('forms')).map(({ title }) => title),
    ['Message', 'Next'],
  );
});

test('a repeated batch changes nothing, and the last of two equal items counts', async (t) => {
  const items = lines([article('a', { title: 'first' }), article('b'), article('a', { title: 'last' })]);
  const request = { environment: 'again', items };
  t.deepEqual(
    (await importItems([request, request])).map(({ accepted_count: count }) => count),
    [3, 3],
  );
  const stored = await exportItems('again');
  t.deepEqual(
    stored.map(({ item_id: id, title }) => [id, title]),
    [
      ['a', 'last'],
      ['b', undefined],
    ],
  );
});

test('the status is set by a record or kept, and types can be exported separately', async (t) => {
  const give = (id: string, itemType: string, enabled?: boolean) => ({
    line: 1,
    json: JSON.stringify({ item_type: itemType, item_id: id }),
    enabled,
  });
  const items = [give('off', 'article', false), give('on', 'article'), give('v', 'video')];
  await importItems([
    { environment: 'types', items },
    { environment: 'types', items: [give('off', 'article')] },
  ]);
  const statuses = async (types?: string[]) =>
    (await exportItems('types', types)).map(({ item_id: id, enabled }) => [id, enabled]);
  t.deepEqual(await statuses(), [
    ['off', false],
    ['on', true],
    ['v', true],
  ]);
  t.deepEqual(await statuses(['video']), [['v', true]]);
  await importItems([{ environment: 'types', items: [give('off', 'article', true)] }]);
  t.deepEqual((await statuses())[0], ['off', true]);
});

const visit = (rest: object = {}) => ({
  event_type: 'page_visit',
  page_type: 'home',
  device_id: 'd',
  ...rest,
});

test('events: valid ones are stored, others reported, and an event id is stored once', async (t) => {
  const id = randomUUID();
  const batch = {
    environment: 'events',
    events: [
      ...lines([
        visit({ event_id: id }),
        visit({ page_type: '' }),
        visit({ progress: 2 }),
        '{',
        visit({ event_id: id }),
      ]),
      {
        line: 6,
        event: Event.fromPartial({ event_type: EventType.EVENT_TYPE_PURCHASE, user_id: 'u', progress: -1 }),
      },
      {
        line: 7,
        event: Event.fromPartial({
          event_type: EventType.EVENT_TYPE_PURCHASE,
          user_id: 'u',
          action_item: 'i',
        }),
      },
      { line: 8 },
    ],
  };
  const [first, second] = await importEvents([batch, batch]);
  t.like(first, { accepted_count: 3, duplicate_count: 1, duplicate_indexes: [4] });
  t.deepEqual(second, { ...first, duplicate_count: 2, duplicate_indexes: [0, 4] });
  t.deepEqual(
    first.refused.map(({ line, details }) => [line, details[0].pointer]),
    [
      [2, '/page_type'],
      [3, '/progress'],
      [4, ''],
      [6, '/progress'],
      [8, ''],
    ],
  );
  const types = (await exportEvents(rpc, 'events')).map(({ event_type: type }) => type);
  t.deepEqual(types, ['page_visit', 'purchase', 'purchase']);
});

test('exported events can be imported elsewhere and are the same', async (t) => {
  const events = Array.from({ length: 6_000 }, (_, i) =>
    visit({ timestamp: 1_600_000_000 + i, place: i, note: '✓ "quoted"\n' }),
  );
  await importEvents([
    { environment: 'copy', events: lines(events.slice(0, 3_000)) },
    { environment: 'copy', events: lines(events.slice(3_000)) },
  ]);
  t.deepEqual(await exportEvents(rpc, 'copy'), events);
});

test('an export that is imported into its environment changes nothing', async (t) => {
  const sent = [visit(), visit({ event_id: 'mine' }), visit({ device_id: 'anonymous', user_id: 'u' })];
  await importEvents([{ environment: 'ranges', events: lines(sent) }]);
  const exported = async () => {
    const request = { environment: 'ranges', from: undefined, to: undefined };
    const batches = await readAll<{ json: string[] }>(rpc.events.exportEvents(request, rpc.metadata));
    return batches.flatMap(({ json }) => json.map((text) => JSON.parse(text)));
  };
  const before = await exported();
  t.is(new Set(before.map(({ event_id }) => event_id)).size, before.length);
  t.true(before.some(({ event_id }) => event_id === 'mine'));
  /** An event ID is known for seven days; the place in the log tells for longer. */
  const old = before.map((event) => ({ ...event, event_id: undefined }));
  for (const events of [before, old]) {
    const [answer] = await importEvents([{ environment: 'ranges', events: lines(events) }]);
    t.like(answer, { accepted_count: before.length, duplicate_count: before.length });
  }
  t.deepEqual(await exported(), before);
  const elsewhere = { environment: 'untimed', events: lines(before) };
  const [first, second] = await importEvents([elsewhere, elsewhere]);
  t.deepEqual([first.duplicate_count, second.duplicate_count], [0, before.length]);
});

test('an event with a null timestamp is exported with the time of its arrival', async (t) => {
  await importEvents([{ environment: 'untimed', events: lines([visit({ timestamp: null })]) }]);
  const [{ timestamp }] = await exportEvents(rpc, 'untimed');
  t.is(typeof timestamp, 'number');
});

test('events are exported by their time', async (t) => {
  const moments = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z'];
  await importEvents([
    { environment: 'ranges', events: lines(moments.map((timestamp) => visit({ timestamp }))) },
  ]);
  const request = { environment: 'ranges', from: new Date(moments[1]), to: new Date(moments[2]) };
  const batches = await readAll<{ json: string[] }>(rpc.events.exportEvents(request, rpc.metadata));
  t.deepEqual(
    batches.flatMap(({ json }) => json.map((text) => JSON.parse(text).timestamp)),
    [moments[1]],
  );
});

/** A client with only these scopes. */
async function clientWith(...scopes: string[]): Promise<StreamClients> {
  const grpc = createGrpcCaller(service.grpcAddress);
  const made = await grpc.call(
    {
      rpc: 'ClientService/CreateClient',
      method: 'POST',
      path: '',
      message: { client: { kind: 'CLIENT_KIND_CONFIDENTIAL', name: 'test', scopes } },
    },
    service.authorization,
  );
  grpc.close();
  if (!made.outcome.ok) throw new Error(made.outcome.reason);
  const { client, client_secret: clientSecret } = made.outcome.body as {
    client: { client_id: string };
    client_secret: string;
  };
  const token = await requestToken(service.baseUrl, { clientId: client.client_id, clientSecret });
  return createStreamClients({ ...service, authorization: `Bearer ${token}` });
}

test('each environment of a stream needs its own scope; earlier batches stay stored', async (t) => {
  const limited = await clientWith('items:first', 'events:first');
  t.teardown(limited.close);
  const items = (environment: string) => ({ environment, items: lines([article(environment)]) });
  t.like(await failureOf(importItems([items('first'), items('second')], limited)), {
    reason: 'SCOPE_MISSING',
    code: 7,
  });
  t.is((await exportItems('first')).length, 1);
  t.is((await exportItems('second')).length, 0);
  const events = (environment: string) => ({ environment, events: lines([visit()]) });
  t.like(await failureOf(importEvents([events('first'), events('second')], limited)), {
    reason: 'SCOPE_MISSING',
    code: 7,
  });
  t.is((await exportEvents(rpc, 'first')).length, 1);
  t.is((await exportEvents(rpc, 'second')).length, 0);
  t.like(await failureOf(exportEvents(limited, 'first')), { reason: 'SCOPE_MISSING' });
});

const failures: [title: string, request: Partial<ImportItemsRequest>, reason: string, pointers?: string[]][] =
  [
    ['an unknown environment', { environment: 'nowhere', items: [] }, 'ENVIRONMENT_UNKNOWN'],
    ['no environment', { environment: '', items: lines([article('a')]) }, 'BODY_INVALID', ['/environment']],
    ['an empty batch', { environment: 'limits', items: [] }, 'BODY_INVALID', ['/items']],
    [
      '5,001 items',
      { environment: 'limits', items: lines(Array.from({ length: 5_001 }, (_, i) => article(`${i}`))) },
      'BODY_INVALID',
      ['/items'],
    ],
    [
      'more than 16 MiB',
      { environment: 'limits', items: [{ line: 1, json: 'x'.repeat(17 * 1024 * 1024) }] },
      'BODY_TOO_LARGE',
    ],
  ];

for (const [title, request, reason, pointers = []] of failures) {
  test(`an import ends with an error: ${title}`, async (t) => {
    t.like(await failureOf(importItems([request as ImportItemsRequest])), { ok: false, reason, pointers });
  });
}

test('an imported item is recommended at once', async (t) => {
  const http = createJsonClient(service);
  await importItems([{ environment: 'limits', items: lines([article('at once')]) }]);
  await http.put('/configurations/any', {});
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 5 }];
  const { body } = await http.post('/limits/recommendations/requests', {
    device_id: 'd',
    page_type: 'home',
    lists,
  });
  t.like(body, { lists: [{ items: [{ item_id: 'at once' }] }] });
});
