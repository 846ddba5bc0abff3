/** Every documented error, as a problem document over HTTP and the same facts over gRPC and Connect; nothing internal in it. */

import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/service.ts';
import { createCuttableConnection } from './support/cuttable-connection.ts';
import { type Problem, request } from './support/http.ts';
import type { Operation } from './support/operation.ts';
import {
  createAudience,
  createCompletions,
  createConfiguration,
  createEvents,
  createItem,
  createRecommendations,
  createSearch,
  createToken,
  deleteConfiguration,
  deleteItem,
  disableItem,
  enableItem,
  getAudience,
  getCompletions,
  getConfiguration,
  getItem,
  getMetric,
  getRecommendationList,
  getSearchList,
  putConfiguration,
  putItem,
} from './support/operations.ts';
import { createTransports, isAnsweredEverywhere } from './support/same-answer.ts';
import { startTestedService } from './support/tested-service.ts';

const service = await startTestedService();
const { transports, baseUrl, authorization } = service;

type Expected = { status: number; reason: string; pointers?: string[] };

/** Checks a problem document's every field. */
async function isProblem(t: ExecutionContext, response: Response, { status, reason, pointers }: Expected) {
  t.is(response.status, status);
  t.is(response.headers.get('content-type'), 'application/problem+json');
  const problem = (await response.json()) as Problem;
  t.is(problem.type, `urn:personalisation:error:${reason}`);
  t.is(problem.status, status);
  t.regex(problem.title, /^[A-Z][a-z ]+$/);
  t.regex(problem.detail, /\w+/);
  t.truthy(problem.request_id);
  t.is(response.headers.get('x-request-id'), problem.request_id);
  const errors = problem.errors ?? [];
  t.deepEqual(
    errors.map(({ pointer }) => pointer),
    pointers ?? [],
  );
  for (const { detail } of errors) t.regex(detail, /\w+/);
  doesNotLeak(t, JSON.stringify(problem));
  return problem;
}

/** SQL, the driver's or the system's words, stacks, or paths. */
function doesNotLeak(t: ExecutionContext, text: string): void {
  t.notRegex(
    text,
    /select |insert |update |relation|column|postgres|ECONN|127\.0|\.ts\b|node_modules|\\n +at /i,
  );
}

const unknown = { itemId: 'unknown' };
const film = { itemType: 'film', itemId: 'x' };
const audience = {
  audience_name: 'a',
  audience_size: 1,
  integration_type: 'email',
  promotion: [{ id: 'x' }],
};
const notJson = (operation: Operation): Operation => ({ ...operation, body: '{' });
const without = (operation: Operation) => ({ operation, token: null });
const withBad = (operation: Operation) => ({ operation, token: 'Bearer nonsense' });

type ErrorRow = {
  where: string;
  meaning: string;
  calls: (Operation | { operation: Operation; token: string | null })[];
} & Expected;

const page = { list_key: 'nowhere', offset: 1, limit: 1 };
const unsupported = { constraints: [{ query: { key: 'title', regex: 'x' } }] };
const hourly = { start_time: { gte: '2026-11-20T10:30:00Z' } };

/** The rows of the interface's table of errors; those of 500 stand below. */
const documented: ErrorRow[] = [
  {
    where: 'enable/disable item',
    meaning: 'error in the request',
    calls: [enableItem(unknown), disableItem(unknown)],
    status: 400,
    reason: 'item_unknown',
  },
  {
    where: 'configurations POST and PUT',
    meaning: 'body malformed',
    calls: [
      createConfiguration({ configuration_id: 'x', constraints: 3 }),
      putConfiguration('x', { constraints: 3 }),
    ],
    status: 400,
    reason: 'body_invalid',
    pointers: ['/constraints'],
  },
  {
    where: 'events POST',
    meaning: 'missing mandatory information',
    calls: [createEvents([{ event_type: 'page_visit', device_id: 'd' }])],
    status: 400,
    reason: 'body_invalid',
    pointers: ['/events/0/page_type'],
  },
  {
    where: 'audience request',
    meaning: 'request invalid',
    calls: [createAudience({ audience: { ...audience, audience_size: 0 } })],
    status: 400,
    reason: 'body_invalid',
    pointers: ['/audience/audience_size'],
  },
  {
    where: 'GET /metrics/{metric}',
    meaning: 'error in query parameters',
    calls: [getMetric('clicks', hourly)],
    status: 400,
    reason: 'parameter_invalid',
    pointers: ['query:start_time.gte'],
  },
  {
    where: 'item endpoints',
    meaning: 'access token missing or invalid',
    calls: [putItem(unknown, {}), createItem({}, {}), deleteItem(unknown), getItem(unknown)].flatMap(
      (operation) => [without(operation), withBad(operation)],
    ),
    status: 401,
    reason: 'unauthenticated',
  },
  {
    where: 'audience request',
    meaning: 'not authorised',
    calls: [without(createAudience({ audience })), withBad(createAudience({ audience }))],
    status: 401,
    reason: 'unauthenticated',
  },
  {
    where: 'item PUT',
    meaning: 'item id not yet known',
    calls: [putItem(unknown)],
    status: 404,
    reason: 'item_unknown',
  },
  {
    where: 'item PUT and POST',
    meaning: 'item type not configured for the environment',
    calls: [putItem(film, {}), putItem(film), createItem(film, { item_id: 'x' })],
    status: 404,
    reason: 'item_type_unknown',
  },
  {
    where: 'item DELETE, GET',
    meaning: 'item id not yet known',
    calls: [deleteItem(unknown), getItem(unknown), deleteItem(film), getItem(film)],
    status: 404,
    reason: 'item_unknown',
  },
  {
    where: 'configuration GET, DELETE',
    meaning: 'configuration not found',
    calls: [getConfiguration('unknown'), deleteConfiguration('unknown')],
    status: 404,
    reason: 'configuration_unknown',
  },
  {
    where: 'lists endpoints',
    meaning: 'list key not found',
    calls: [getRecommendationList(page), getSearchList(page)],
    status: 404,
    reason: 'list_unknown',
  },
  {
    where: 'GET /metrics/{metric}',
    meaning: 'metric not found',
    calls: [getMetric('happiness')],
    status: 404,
    reason: 'metric_unknown',
  },
  {
    where: 'item PUT and POST',
    meaning: 'item information does not match the item specification',
    calls: [putItem(unknown, { price: 'x' }), createItem({}, { item_id: 'x', price: 'x' })],
    status: 415,
    reason: 'body_invalid',
    pointers: ['/price'],
  },
  {
    where: 'configurations POST and PUT, events POST',
    meaning: 'body is not JSON',
    calls: [createConfiguration({}), putConfiguration('x', {}), createEvents([])].map(notJson),
    status: 415,
    reason: 'body_not_json',
  },
  {
    where: 'item PUT and POST',
    meaning: 'body is not of the right type',
    calls: [putItem(unknown, {}), createItem({}, {})].map(notJson),
    status: 422,
    reason: 'body_not_json',
  },
  {
    where: 'configurations POST and PUT',
    meaning: 'functionality not supported',
    calls: [
      { ...createConfiguration({}), body: { configuration_id: 'x', ...unsupported } },
      { ...putConfiguration('x', {}), body: unsupported },
    ],
    status: 501,
    reason: 'operator_unsupported',
    pointers: ['/constraints/0/query/regex'],
  },
];

for (const { where, meaning, calls, ...expected } of documented) {
  test(`${expected.status} ${where}: ${meaning}`, async (t) => {
    for (const call of calls) {
      const { operation, token } = 'operation' in call ? call : { operation: call, token: authorization };
      await isProblem(t, await request(baseUrl, operation, token), expected);
    }
  });
}

type TransportError = {
  title: string;
  path: string;
  method?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  answered?: Record<string, string>;
} & Expected;

const large = ' '.repeat(5 * 1024 * 1024);
const itemPath = '/shop/items/product/x';

const transportErrors: TransportError[] = [
  { title: 'an unknown path', path: '/shop/nothing', status: 404, reason: 'route_unknown' },
  { title: 'a path that is too short', path: '/shop/items', status: 404, reason: 'route_unknown' },
  { title: 'an empty segment', path: '/shop/items/product/', status: 404, reason: 'route_unknown' },
  {
    title: 'an unknown method',
    path: itemPath,
    method: 'PATCH',
    status: 405,
    reason: 'method_not_allowed',
    answered: { allow: 'PUT, DELETE, GET, HEAD, OPTIONS' },
  },
  {
    title: 'a method of another path',
    path: '/shop/events',
    method: 'GET',
    status: 405,
    reason: 'method_not_allowed',
    answered: { allow: 'POST, OPTIONS' },
  },
  {
    title: 'a body above the limit',
    path: itemPath,
    method: 'PUT',
    body: large,
    status: 413,
    reason: 'body_too_large',
  },
  {
    title: 'a packed body above the limit',
    path: itemPath,
    method: 'PUT',
    body: gzipSync(large),
    headers: { 'content-encoding': 'gzip' },
    status: 413,
    reason: 'body_too_large',
  },
  {
    title: 'another media type for events',
    path: '/shop/events',
    method: 'POST',
    body: '<events/>',
    headers: { 'content-type': 'text/xml' },
    status: 415,
    reason: 'media_type_unsupported',
  },
  {
    title: 'another media type for an item',
    path: itemPath,
    method: 'PUT',
    body: '<item/>',
    headers: { 'content-type': 'text/xml' },
    status: 422,
    reason: 'media_type_unsupported',
  },
  {
    title: 'a form for a configuration',
    path: '/configurations',
    method: 'POST',
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    reason: 'media_type_unsupported',
  },
  {
    title: 'no body where one is needed',
    path: '/shop/recommendations/requests',
    method: 'POST',
    status: 400,
    reason: 'body_not_json',
  },
  {
    title: 'an unknown query parameter',
    path: '/metrics/clicks?colour=red',
    status: 400,
    reason: 'parameter_invalid',
    pointers: ['query:colour'],
  },
  {
    title: 'a malformed escape',
    path: '/shop/items/product/%zz',
    status: 400,
    reason: 'parameter_invalid',
    pointers: ['path:'],
  },
];

for (const {
  title,
  path,
  method = 'GET',
  body,
  headers = {},
  answered = {},
  ...expected
} of transportErrors) {
  test(`${title} is ${expected.status} ${expected.reason}`, async (t) => {
    const response = await fetch(baseUrl + path, {
      method,
      body: body as RequestInit['body'],
      headers: { authorization, 'content-type': 'application/json', ...headers },
    });
    await isProblem(t, response, expected);
    for (const [name, value] of Object.entries(answered)) t.is(response.headers.get(name), value);
  });
}

const malformed: Record<string, string> = {
  'is no HTTP': 'HELLO\r\n\r\n',
  'has headers beyond all bounds': `GET /api/metrics HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
  'has two lengths':
    'POST /api/shop/events HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
};

for (const [fault, text] of Object.entries(malformed)) {
  test(`a request that ${fault} is answered with a problem document`, async (t) => {
    const socket = connect(Number(new URL(baseUrl).port), 'localhost');
    socket.write(text);
    let received = '';
    for await (const chunk of socket) received += chunk;
    const [head, body] = received.split('\r\n\r\n');
    t.regex(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
    t.regex(head, /\r\ncontent-type: application\/problem\+json\r\n/);
    t.like(JSON.parse(body), { type: 'urn:personalisation:error:parameter_invalid', status: 400 });
  });
}

const environment = 'nowhere';
const listRequest = { device_id: 'd', page_type: 'p', lists: [] };

/** Each operation with an environment; what else is wrong with some does not matter. */
const inNowhere: Operation[] = [
  putItem({ environment, itemId: 'x' }, {}),
  putItem({ environment, itemId: 'touched' }),
  createItem({ environment }, { item_id: 'x' }),
  deleteItem({ environment, itemId: 'x' }),
  enableItem({ environment, itemId: 'x' }),
  disableItem({ environment, itemId: 'x' }),
  getItem({ environment, itemId: 'x' }),
  createRecommendations(listRequest, environment),
  getRecommendationList({}, environment),
  createSearch({ q: 'x' }, environment),
  getSearchList(page, environment),
  getCompletions({ q: 'x' }, environment),
  createCompletions({ q: 'x' }, environment),
  createAudience({ audience }, environment),
  getAudience({ audience_id: 'x' }, environment),
  createEvents([], environment),
  getMetric('clicks', { environment }),
];

for (const operation of inNowhere) {
  test(`an unknown environment is 404: ${operation.method} ${operation.path}`, (t) =>
    isAnsweredEverywhere(t, transports, operation, { status: 404, reason: 'environment_unknown' }));
}

test('an unknown environment says nothing to strangers', async (t) => {
  const operation = getItem({ environment, itemId: 'x' });
  const expected = { status: 401, reason: 'unauthenticated' };
  await isAnsweredEverywhere(t, transports, operation, expected, { authorization: null });
});

test('too many wrong secrets are 429, and say when to try again', async (t) => {
  const guessed = await startTestService(t);
  const guess = createToken({ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' });
  let response = await request(guessed.baseUrl, guess);
  for (let tries = 1; response.status === 401 && tries < 100; tries++)
    response = await request(guessed.baseUrl, guess);
  await isProblem(t, response, { status: 429, reason: 'rate_limited' });
  t.true(Number(response.headers.get('retry-after')) >= 1);
  await isAnsweredEverywhere(
    t,
    createTransports(t, guessed),
    guess,
    { status: 429, reason: 'rate_limited' },
    { authorization: null },
  );
});

const broken: Operation[] = [
  enableItem(unknown),
  disableItem(unknown),
  putConfiguration('x', {}),
  deleteConfiguration('x'),
  createEvents([{ event_type: 'page_visit', device_id: 'd', page_type: 'home' }]),
  putItem(unknown, {}),
  getItem(unknown),
  getRecommendationList(page),
];

/** Whatever goes wrong inside, a caller learns no more than the reason. */
async function saysNothingMore(t: ExecutionContext, failing: TestService, expected: Expected): Promise<void> {
  const { grpc, connect: viaConnect } = createTransports(t, failing);
  for (const operation of broken) {
    const response = await request(failing.baseUrl, operation, failing.authorization);
    await isProblem(t, response, expected);
    if (expected.status === 503) t.is(response.headers.get('retry-after'), '1');
    for (const call of [grpc, viaConnect]) {
      const { outcome } = await call(operation, failing.authorization);
      t.deepEqual(outcome, { ok: false, reason: expected.reason.toUpperCase(), pointers: [] });
    }
  }
}

test('a fault of ours is 500 and tells nothing of itself', async (t) => {
  const failing = await startTestService(t);
  const { rows } = await failing.database.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows.filter((row) => !/client|signing/.test(row.name)))
    await failing.database.pool.query(`alter table "${name}" rename to "gone_${name}"`);
  await saysNothingMore(t, failing, { status: 500, reason: 'internal' });
});

test('without its database the service is 503, alive and not ready', async (t) => {
  const { reach, cut } = createCuttableConnection();
  const failing = await startTestService(t, undefined, { reach });
  cut();
  await saysNothingMore(t, failing, { status: 503, reason: 'unavailable' });
  const { origin } = new URL(failing.baseUrl);
  t.is((await fetch(`${origin}/healthz`)).status, 200);
  t.is((await fetch(`${origin}/readyz`)).status, 503);
});
