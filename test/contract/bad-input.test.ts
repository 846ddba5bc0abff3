/** Any input gets a documented answer, without an internal error and without internal details. */

import { gzipSync } from 'node:zlib';
import { create, getOption, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { operation as operationOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import { CreateEventsRequestSchema } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { type Route, routes } from '../../gen/rest/routes.ts';
import type { ErrorReason } from '../../src/errors.ts';
import { httpStatusOf } from '../../src/handlers/chain/errors.ts';
import { anyText } from '../support/any-text.ts';
import { type Answer, createJsonClient, type JsonClient } from '../support/json-client.ts';
import { fc } from '../support/properties.ts';
import { shopDeployment, startTestService, type TestService } from '../support/service.ts';
import { methodOf } from './support/rpc.ts';

let service: TestService;
let http: JsonClient;
let grpc: Client;

test.before(async () => {
  service = await startTestService({ teardown: () => undefined }, shopDeployment);
  http = createJsonClient(service);
  grpc = new Client(service.grpcAddress, credentials.createInsecure());
  await http.put('/configurations/stored', { constraints: [] });
});

test.after.always(async () => {
  grpc?.close();
  await service?.stop();
});

const parameters: Record<string, string> = { environment: 'shop', item_type: 'article', item_id: 'a' };
const pathOf = ({ path }: Route) => path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters[name] ?? 'x');

/** Operations that read JSON; the token endpoint reads forms too and needs no token. */
const withBody = routes.filter(({ body, form }) => body !== '' && !form);

const optionsOf = ({ operation }: Route) =>
  getOption(methodOf(operation.slice('personalisation.v1.'.length)), operationOption);

const leaks = /\bat \S+:\d+|select |insert |postgres|node_modules|\.ts\b|stack|ECONN/i;

/** A documented failure: a complete problem document without internal details. */
function isDocumented(t: ExecutionContext, { status, body, reason }: Answer, about: string): void {
  const problem = body as Record<string, unknown>;
  t.is(problem.status, status, about);
  t.true((status >= 400 && status < 500) || status === 501, `${about}: ${status} ${JSON.stringify(problem)}`);
  t.regex(reason ?? '', /^[a-z_]+$/, about);
  for (const name of ['title', 'detail', 'request_id'])
    t.is(typeof problem[name], 'string', `${about}: ${name}`);
  t.notRegex(String(problem.detail), leaks, about);
}

type Kind = [title: string, body: string | Uint8Array, reason: ErrorReason, headers?: Record<string, string>];

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

const kinds: Kind[] = [
  ['an unfinished object', '{"events": [', 'BODY_NOT_JSON'],
  ['words', 'hello', 'BODY_NOT_JSON'],
  ['two values', '{} {}', 'BODY_NOT_JSON'],
  ['a trailing comma', '{"a": 1,}', 'BODY_NOT_JSON'],
  ['NaN', '{"a": NaN}', 'BODY_NOT_JSON'],
  ['a raw control character', '{"a": "\n"}', 'BODY_NOT_JSON'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'BODY_NOT_JSON'],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'BODY_NOT_JSON'],
  ['UTF-16', Buffer.from('{"a": 1}', 'utf16le'), 'BODY_NOT_JSON'],
  ['bytes that are not gzip', 'plain', 'BODY_NOT_JSON', { 'content-encoding': 'gzip' }],
  ['an unknown encoding', '{}', 'MEDIA_TYPE_UNSUPPORTED', { 'content-encoding': 'br' }],
  ['XML', '<a/>', 'MEDIA_TYPE_UNSUPPORTED', { 'content-type': 'text/xml' }],
  ['JSON called text', '{}', 'MEDIA_TYPE_UNSUPPORTED', { 'content-type': 'text/plain' }],
  ['a form', 'a=1', 'MEDIA_TYPE_UNSUPPORTED', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a broken content type', '{}', 'MEDIA_TYPE_UNSUPPORTED', { 'content-type': ';;;' }],
  ['an array', '[1, 2]', 'BODY_INVALID'],
  ['a number', '7', 'BODY_INVALID'],
  ['a text', '"x"', 'BODY_INVALID'],
  ['null', 'null', 'BODY_INVALID'],
  ['a thousand nested arrays', nested('[', ']', 1_000), 'BODY_INVALID'],
  ['a hundred thousand nested arrays', nested('[', ']', 100_000), 'BODY_INVALID'],
];

for (const [title, body, reason, headers] of kinds) {
  test(`every operation refuses ${title} as ${reason}`, async (t) => {
    const isText = headers?.['content-type'] === 'text/plain';
    /** Beacons send events as text. */
    for (const route of withBody.filter(({ operation }) => !isText || !operation.endsWith('/CreateEvents'))) {
      const answer = await http.send(route.httpMethod, pathOf(route), body, headers);
      const about = `${route.httpMethod} ${route.path}`;
      isDocumented(t, answer, about);
      const expected = body.length > route.maxBodyBytes ? 'BODY_TOO_LARGE' : reason;
      t.is(answer.reason, expected.toLowerCase(), about);
      t.is(answer.status, httpStatusOf(expected, optionsOf(route)), about);
    }
  });
}

test('every operation refuses a body above its limit, packed or not', async (t) => {
  for (const route of withBody) {
    const large = Buffer.alloc(route.maxBodyBytes + 1, ' ');
    const about = `${route.httpMethod} ${route.path}`;
    const packed = await http.send(route.httpMethod, pathOf(route), gzipSync(large), {
      'content-encoding': 'gzip',
    });
    t.like(packed, { status: 413, reason: 'body_too_large' }, about);
    const plain = await http.send(route.httpMethod, pathOf(route), large).catch(() => undefined);
    if (plain) t.like(plain, { status: 413, reason: 'body_too_large' }, about);
  }
});

test('nesting inside a field is bounded', async (t) => {
  const deep = (depth: number) => `{"item_id": "deep", "item_attributes": {"a": ${nested('[', ']', depth)}}}`;
  t.is((await http.post('/shop/items/article', deep(10))).status, 200);
  for (const depth of [200, 5_000, 200_000]) {
    const answer = await http.post('/shop/items/article', deep(depth));
    t.like(answer, { status: 415, reason: 'body_invalid' }, `${depth}`);
  }
});

const samples: Record<string, object> = {
  'POST /configurations': {
    configuration_id: 'fuzz',
    constraints: [
      {
        query: { key: 'brand', match: { or: [{ value: 'x' }, { variable: { name: 'v', default: 'y' } }] } },
        limit: { min: 1, max: 3 },
      },
      { diversify: { key: 'brand' }, limit: { max: 2 } },
      { query: { key: 'price', range: { min: 1, max: 2 } } },
    ],
    preferences: [{ query: { key: 'title', contains: ['a', 'b'] }, weight: 2 }],
  },
  'PUT /shop/items/product/fuzz': {
    title: 'Title',
    categories: ['a/b', ['c', 'd']],
    tags: ['t'],
    images: ['u', { url: 'v', width: 3 }],
    item_attributes: [{ name: 'n', value: { deep: [1] } }],
    publication_datetime: '2024-01-01T00:00:00Z',
    price: 3,
    colors: ['red'],
  },
  'POST /shop/events': {
    events: [
      {
        event_type: 'purchase',
        device_id: 'd',
        action_item: 'i',
        amount: 1,
        timestamp: 1_700_000_000,
        event_id: 'e',
        more: { x: 1 },
      },
      { event_type: 'detail_pageview', user_id: 'u', page_type: 'p', action_item: 'i' },
    ],
  },
  'POST /shop/recommendations/requests': {
    device_id: 'd',
    page_type: 'p',
    context_item: 'fuzz',
    histories: { seen: [{ id: 'i', reconsumable: true, timestamp: 1_700_000_000 }] },
    timeout_ms: 500,
    lists: [
      {
        configuration_id: 'stored',
        list_name: 'l',
        list_size: 3,
        limit: 2,
        list_content: [{ item_id: 'i', rank: 1 }],
        v: ['x'],
      },
    ],
  },
  'POST /shop/searches/requests': {
    q: 'x',
    page_type: 'p',
    device_id: 'd',
    filter_by: { brand: 'x' },
    group_by: ['brand'],
    limit: 2,
  },
  'POST /shop/searches/completions': { q: 'x', fuzziness: 1, filter_by: { brand: ['x'] } },
};

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  anyText(5),
  fc.constantFrom(
    -1,
    0,
    1.5,
    1e308,
    -1e308,
    2 ** 31,
    2 ** 53,
    '',
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(300),
  ),
  fc.array(fc.constant('x'), { minLength: 60, maxLength: 60 }),
);

/** A copy with one node, chosen by `choice`, replaced. */
function spoil(value: unknown, choice: number, other: unknown, rename: string | undefined): unknown {
  const places: [container: Record<string, unknown>, key: string][] = [];
  const visit = (container: Record<string, unknown>) => {
    for (const key of Object.keys(container)) {
      places.push([container, key]);
      if (typeof container[key] === 'object' && container[key] !== null)
        visit(container[key] as Record<string, unknown>);
    }
  };
  const copy = structuredClone(value) as Record<string, unknown>;
  visit(copy);
  const [container, key] = places[choice % places.length];
  if (rename === undefined || Array.isArray(container)) container[key] = other;
  else {
    Object.defineProperty(container, rename, { value: container[key], enumerable: true, configurable: true });
    delete container[key];
  }
  return copy;
}

for (const [name, sample] of Object.entries(samples)) {
  test(`${name}: any value in one part of the body gets a documented answer`, async (t) => {
    const [method, path] = name.split(' ');
    const whole = await http.send(method, path, sample);
    t.true(whole.status === 200 || whole.status === 501, JSON.stringify(whole.body));
    const other = fc.tuple(fc.nat(), anything, fc.option(anyText(8), { nil: undefined }));
    const property = fc.asyncProperty(other, async ([choice, replacement, rename]) => {
      const body = spoil(sample, choice, replacement, rename);
      const answer = await http.send(method, path, body);
      if (answer.status !== 200) isDocumented(t, answer, JSON.stringify(body));
    });
    await fc.assert(property, { numRuns: 100 });
  });
}

test('any path and method get a documented answer', async (t) => {
  const segment = fc.oneof(
    fc.constantFrom(
      'shop',
      'items',
      'article',
      'configurations',
      'recommendations',
      'lists',
      'events',
      'metrics',
    ),
    fc.constantFrom(
      '..',
      '.',
      '',
      '%',
      '%00',
      '%2F',
      '%ff',
      '%C0%AF',
      '{environment}',
      '*',
      'x'.repeat(2_000),
    ),
    anyText(8).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'TRACE');
  const query = fc.constantFrom(
    '',
    '?',
    '?list_key=%00&offset=1&limit=1',
    '?offset=%',
    '?list_key=x&offset=1e9&limit=-1',
    '?=',
    '?&&',
  );
  const property = fc.asyncProperty(
    method,
    fc.array(segment, { maxLength: 6 }),
    query,
    async (verb, segments, tail) => {
      const path = `/${segments.join('/')}${tail}`;
      const answer = await http.send(verb, path);
      const { status } = answer;
      if (verb === 'HEAD') t.true(status < 500 || status === 501, path);
      else if (status !== 200) isDocumented(t, answer, `${verb} ${path}`);
    },
  );
  await fc.assert(property, { numRuns: 250 });
});

/** Allowed ids of any kind; fast-check also generates names such as `__proto__` in ASCII. */
const oddId = fc
  .oneof(anyText(20), fc.string({ maxLength: 20 }))
  .filter((text) => text !== '' && text.isWellFormed() && !text.includes('\0'));

test('ids of any characters are stored, recommended, disabled and consumed', async (t) => {
  await http.put('/configurations/odd', { constraints: [{ query: { key: 'item_type', match: 'article' } }] });
  let count = 0;
  const property = fc.asyncProperty(oddId, oddId, async (odd, deviceId) => {
    const itemId = `${odd} ${count++}`;
    const path = `/news/items/article/${encodeURIComponent(itemId)}`;
    const stored = await http.put(path, {});
    t.is(stored.status, 200, JSON.stringify([itemId, stored.body]));
    const lists = [{ configuration_id: 'odd', list_name: itemId, list_size: 1_000 }];
    const ask = async () => {
      const { body } = await http.post<{ lists: { items: { item_id: string }[] }[] }>(
        '/news/recommendations/requests',
        { device_id: deviceId, page_type: 'p', lists },
      );
      return body.lists[0].items.some(({ item_id: id }) => id === itemId);
    };
    t.true(await ask(), JSON.stringify([itemId, deviceId]));
    await http.post('/news/events', {
      events: [{ event_type: 'detail_pageview', page_type: 'p', device_id: deviceId, action_item: itemId }],
    });
    t.is(await ask(), deviceId === 'anonymous');
    t.is((await http.send('DELETE', path)).status, 200);
  });
  await fc.assert(property, { numRuns: 60 });
});

/** Sends bytes as the request of an rpc and returns its status code. */
function callRaw(path: string, bytes: Buffer): Promise<number> {
  const metadata = new Metadata();
  metadata.set('authorization', service.authorization);
  const same = (value: Buffer) => value;
  return new Promise((resolve) => {
    grpc.makeUnaryRequest(path, same, same, bytes, metadata, (error: ServiceError | null) =>
      resolve(error?.code ?? 0),
    );
  });
}

test('gRPC: a message of any bytes gets a documented code', async (t) => {
  const events = [{ deviceId: 'd', eventType: 15, actionItem: 'i', amount: 2, extra: { a: [1, 'x'] } }];
  const sound = Buffer.from(
    toBinary(
      CreateEventsRequestSchema,
      create(CreateEventsRequestSchema, { environment: 'shop', batch: { events } }),
    ),
  );
  const path = '/personalisation.v1.EventService/CreateEvents';
  t.is(await callRaw(path, sound), 0);
  const spoiled = fc.oneof(
    fc.nat(sound.length).map((end) => sound.subarray(0, end)),
    fc.tuple(fc.nat(sound.length - 1), fc.nat(255)).map(([place, byte]) => {
      const copy = Buffer.from(sound);
      copy[place] = byte;
      return copy;
    }),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  );
  const [ok, invalidArgument, notFound] = [0, 3, 5];
  const property = fc.asyncProperty(spoiled, async (bytes) => {
    t.true([ok, invalidArgument, notFound].includes(await callRaw(path, bytes)), bytes.toString('hex'));
  });
  await fc.assert(property, { numRuns: 200 });
});
