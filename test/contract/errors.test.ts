/** Every documented error over HTTP, gRPC and Connect, without internals. */

import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { Connection } from '../../src/repository/database.ts';
import { relayTo } from '../support/relay.ts';
import { shopDeployment, startTestService, type TestService } from '../support/service.ts';
import { audience, documentedErrors, type Expected, page, unknown } from './errors/documented.ts';
import { transportErrors } from './errors/transport.ts';
import { type Problem, request } from './support/http.ts';
import type { Operation } from './support/operation.ts';
import { createTransports, isAnsweredEverywhere } from './support/same-answer.ts';
import {
  createAudience,
  createCompletions,
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
  getItem,
  getMetric,
  getRecommendationList,
  getSearchList,
  putConfiguration,
  putItem,
} from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();

/** Checks a problem document's every field. */
async function isProblem(t: ExecutionContext, response: Response, { status, reason, pointers }: Expected) {
  t.is(response.status, status);
  t.is(response.headers.get('content-type'), 'application/problem+json');
  const problem = (await response.json()) as Problem;
  t.is(problem.type, `/api/docs/errors/${reason.toUpperCase()}`);
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

/** SQL, messages of the driver or the system, stacks, or paths. */
function doesNotLeak(t: ExecutionContext, text: string): void {
  t.notRegex(
    text,
    /select |insert |update |relation|column|postgres|ECONN|127\.0|\.ts\b|node_modules|\\n +at /i,
  );
}

for (const { where, meaning, calls, ...expected } of documentedErrors) {
  test(`${expected.status} ${where}: ${meaning}`, async (t) => {
    for (const call of calls) {
      const { operation, token } =
        'operation' in call ? call : { operation: call, token: service.authorization };
      await isProblem(t, await request(service.baseUrl, operation, token), expected);
    }
  });
}

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
    const response = await fetch(service.baseUrl + path, {
      method,
      body,
      headers: {
        authorization: service.authorization,
        'content-type': 'application/json',
        ...headers,
      },
    });
    await isProblem(t, response, expected);
    for (const [name, value] of Object.entries(answered)) t.is(response.headers.get(name), value);
  });
}

const itemPath = '/api/shop/items/product/invited';

const malformed: Record<string, string> = {
  'is no HTTP': 'HELLO\r\n\r\n',
  'has headers beyond all bounds': `GET /api/metrics HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
  'names no host': 'GET /api/metrics HTTP/1.1\r\n\r\n',
  'names two hosts': 'GET /healthz HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n',
  'has two lengths':
    'POST /api/shop/events HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
};

for (const [fault, text] of Object.entries(malformed)) {
  test(`a request that ${fault} is answered with a problem document`, async (t) => {
    const socket = connect(Number(new URL(service.origin).port), 'localhost');
    socket.write(text);
    let received = '';
    for await (const chunk of socket) received += chunk;
    const [head, body] = received.split('\r\n\r\n');
    t.regex(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
    t.regex(head, /\r\ncontent-type: application\/problem\+json\r\n/);
    t.like(JSON.parse(body), { type: '/api/docs/errors/PARAMETER_INVALID', status: 400 });
  });
}

for (const length of [16_385, 40_000]) {
  test(`an address of ${length} characters is too long`, async (t) => {
    const target = `/api/metrics?${'x'.repeat(length - '/api/metrics?'.length)}`;
    t.is(await answerTo(`GET ${target} HTTP/1.1\r\nhost: x`), 'HTTP/1.1 414 URI Too Long');
  });
}

for (const path of [itemPath, '/personalisation.v1.ItemService/PutItem']) {
  test(`${path} invites a body only after admission`, async (t) => {
    const head = [
      `${path.startsWith('/api') ? 'PUT' : 'POST'} ${path} HTTP/1.1`,
      ...['host: x', 'content-type: application/json', 'content-length: 2', 'expect: 100-continue'],
    ].join('\r\n');
    t.is(await answerTo(head), 'HTTP/1.1 401 Unauthorized');
    t.is(await answerTo(`${head}\r\nauthorization: ${service.authorization}`, '{}'), 'HTTP/1.1 100 Continue');
  });
}

/** The first line of the answer. */
async function answerTo(head: string, body = ''): Promise<string> {
  const socket = connect(Number(new URL(service.origin).port), 'localhost');
  socket.write(`${head}\r\nconnection: close\r\n\r\n`);
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (received.endsWith('100 Continue\r\n\r\n')) socket.write(body);
  }
  return received.split('\r\n')[0];
}

test('an unknown expectation is ignored', async (t) => {
  t.is(await answerTo('GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: tea'), 'HTTP/1.1 200 OK');
});

test('a request may name its address as a whole', async (t) => {
  const authorised = `host: x\r\nauthorization: ${service.authorization}`;
  for (const path of ['/healthz', '/api/shop/items?page_size=1', '/api/openapi.json'])
    for (const origin of ['http://x', 'HTTPS://shop.example:8080'])
      t.is(await answerTo(`GET ${origin}${path} HTTP/1.1\r\n${authorised}`), 'HTTP/1.1 200 OK', path);
  const unknown = ['http://x', 'http://x?page_size=1', '*', 'ftp://x/healthz'];
  for (const target of unknown)
    t.is(await answerTo(`GET ${target} HTTP/1.1\r\n${authorised}`), 'HTTP/1.1 404 Not Found', target);
});

const environment = 'nowhere';
const listRequest = { device_id: 'd', page_type: 'p', lists: [] };

/** Each operation with an environment; other errors in the requests do not matter. */
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
    isAnsweredEverywhere(t, service.transports, operation, { status: 404, reason: 'environment_unknown' }));
}

test('unknown callers cannot detect unknown environments', async (t) => {
  const operation = getItem({ environment, itemId: 'x' });
  const expected = { status: 401, reason: 'unauthenticated' };
  await isAnsweredEverywhere(t, service.transports, operation, expected, { authorization: null });
});

test('too many calls are 429 with a time to wait', async (t) => {
  const limits = 'rate_limits: [ { operations: [TokenService/CreateToken], per_second: 0.001, burst: 1 } ]';
  const guessed = await startTestService(t, `${limits}\n${shopDeployment}`);
  const guess = createToken({ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' });
  const response = await request(guessed.baseUrl, guess);
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

/** Internal errors reveal only their reason. */
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

test('an internal error is 500 without details', async (t) => {
  const failing = await startTestService(t);
  const { rows } = await failing.database.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows.filter((row) => !/client|signing/.test(row.name)))
    await failing.database.pool.query(`alter table "${name}" rename to "gone_${name}"`);
  await saysNothingMore(t, failing, { status: 500, reason: 'internal' });
});

test('without its database the service answers 503, is alive and not ready', async (t) => {
  let cut: () => void = () => undefined;
  const reach = async (known: Connection) => {
    const { relay, connection } = await relayTo(known);
    cut = relay.cut;
    return connection;
  };
  const failing = await startTestService(t, undefined, { reach });
  cut();
  await saysNothingMore(t, failing, { status: 503, reason: 'unavailable' });
  const { origin } = new URL(failing.baseUrl);
  t.is((await fetch(`${origin}/healthz`)).status, 200);
  const readiness = await fetch(`${origin}/readyz`);
  t.is(readiness.status, 503);
  t.like(await readiness.json(), {
    checks: { database: 'unreachable', migrations: 'unknown', models: 'ok' },
  });
});
