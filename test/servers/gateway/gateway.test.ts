import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create, getOption, type Message } from '@bufbuild/protobuf';
import anyTest, { type TestFn } from 'ava';
import type { Logger } from 'pino';
import { operation as operationOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { routes } from '../../../gen/rest/routes.ts';
import { services } from '../../../gen/rest/services.ts';
import { DomainError } from '../../../src/errors.ts';
import { encodeJson } from '../../../src/formats/codec.ts';
import type { Call } from '../../../src/handlers/chain/call.ts';
import type { Operation, Operations } from '../../../src/handlers/chain/operation.ts';
import { createFailureLog } from '../../../src/servers/failure-log.ts';
import { createGateway, type GatewayOptions } from '../../../src/servers/gateway/gateway.ts';
import { createPeers } from '../../../src/servers/peer-address.ts';
import { anyUnread } from '../support/served-operation.ts';

type Handled = { name: string; message: Message; call: Call };

type Context = {
  url: string;
  port: number;
  handled: Handled[];
  logged: { level: string; entry: Record<string, unknown> }[];
  close(): Promise<void>;
};

const test = anyTest as TestFn<Context>;

const maxBodyBytes = 200_000;
const origin = 'https://shop.example';
const item = { title: 'Cheese', images: ['u'] };

test.beforeEach(async (t) => {
  t.context = await start();
});

test.afterEach.always((t) => t.context.close());

test('an answer has the JSON of the response, its length and the request id', async (t) => {
  const response = await fetch(`${t.context.url}/configurations`);
  t.is(response.status, 200);
  t.deepEqual(await response.json(), ['a', 'b']);
  t.is(response.headers.get('content-type'), 'application/json');
  t.is(response.headers.get('content-length'), '9');
  t.is(response.headers.get('x-request-id'), 'request-1');
  t.is(response.headers.get('x-content-type-options'), 'nosniff');
});

test('HEAD is answered as GET without a body', async (t) => {
  const response = await fetch(`${t.context.url}/configurations`, { method: 'HEAD' });
  t.is(response.headers.get('content-length'), '9');
  t.is(await response.text(), '');
});

test('path, query and body form the request', async (t) => {
  const body = JSON.stringify({ events: [{ event_type: 'purchase', user_id: 'u' }] });
  const response = await post(t.context, '/shop/events?partial=true&write_key=k', body, {
    authorization: 'Bearer x',
  });
  t.is(response.status, 200);
  const [{ message, call }] = t.context.handled;
  t.deepEqual(requestJson('CreateEvents', message), {
    environment: 'shop',
    batch: { events: [{ event_type: 'purchase', user_id: 'u' }] },
    partial: true,
  });
  t.is(call.writeKey, 'k');
  t.is(call.authorization, 'Bearer x');
  t.is(call.transport, 'http');
  t.is(call.violations, undefined);
});

test('violations of partial requests are passed to the handler', async (t) => {
  const body = JSON.stringify({ events: [{ event_type: 'x' }, { event_type: 'purchase' }] });
  const response = await post(t.context, '/shop/events?partial=true', body);
  t.is(response.status, 200);
  t.deepEqual(
    t.context.handled[0].call.violations?.map(({ pointer }) => pointer),
    ['/events/0/event_type'],
  );
});

for (const type of [
  'application/json',
  'application/json; charset=UTF-8',
  'application/ld+json',
  undefined,
]) {
  test(`a body of type ${type} is JSON`, async (t) => {
    const body = new Blob([JSON.stringify(item)]);
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await fetch(`${t.context.url}/shop/items/product/1`, { method: 'PUT', body, headers });
    t.is(response.status, 200);
    t.deepEqual(requestJson('PutItem', t.context.handled[0].message), {
      environment: 'shop',
      item_type: 'product',
      item_id: '1',
      item,
    });
  });
}

test('a byte order mark is left out', async (t) => {
  t.is((await post(t.context, '/shop/items/product', `\ufeff${JSON.stringify(item)}`)).status, 200);
});

test('a body may be gzip', async (t) => {
  const body = gzipSync(JSON.stringify(item));
  for (const encoding of ['gzip', 'GZip', 'x-gzip']) {
    const response = await post(t.context, '/shop/items/product', body, { 'content-encoding': encoding });
    t.is(response.status, 200);
  }
});

test('a form is accepted if the operation allows it', async (t) => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'c' });
  const response = await fetch(`${t.context.url}/oauth/token`, { method: 'POST', body });
  t.is(response.status, 200);
});

test('an optional body may be absent', async (t) => {
  const response = await fetch(`${t.context.url}/shop/items/product/1`, { method: 'PUT' });
  t.is(response.status, 200);
  t.is((t.context.handled[0].message as unknown as { item: unknown }).item, undefined);
});

test('a body outside the contract is not read', async (t) => {
  t.is((await post(t.context, '/shop/items/product/1/enable', 'no JSON')).status, 200);
});

type Refused = {
  /** [that of events] */
  path?: string;
  method?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  pointers?: string[];
};

const events = '/shop/events';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

function areRefused(status: number, reason: string, requests: Record<string, Refused>) {
  for (const [title, { path = events, method = 'POST', body, headers = {}, pointers }] of Object.entries(
    requests,
  ))
    test(`${title} is ${status} ${reason}`, async (t) => {
      const response = await fetch(t.context.url + path, {
        method,
        body: body as RequestInit['body'],
        headers: { 'content-type': 'application/json', ...headers },
      });
      t.is(response.status, status);
      t.is(response.headers.get('content-type'), 'application/problem+json');
      t.is(response.headers.get('x-request-id'), 'request-1');
      const problem = (await response.json()) as Record<string, unknown>;
      t.is(problem.type, `/api/docs/errors/${reason.toUpperCase()}`);
      t.is(problem.status, status);
      t.is(problem.request_id, 'request-1');
      if (pointers)
        t.deepEqual(
          (problem.errors as { pointer: string }[]).map(({ pointer }) => pointer),
          pointers,
        );
      t.is(t.context.logged.length, 1);
      t.is(t.context.logged[0].level, status === 500 || status === 503 ? 'error' : 'debug');
    });
}

areRefused(415, 'body_not_json', {
  'malformed JSON': { body: '{"events": ' },
  'a missing body': { body: '' },
  'bad UTF-8': { body: new Uint8Array([0x22, 0xff, 0x22]) },
  'a broken gzip': { body: '{}', headers: { 'content-encoding': 'gzip' } },
});
areRefused(422, 'body_not_json', {
  'malformed JSON of an item': { path: '/shop/items/product', body: '{' },
});
areRefused(415, 'body_invalid', {
  'a missing body of an item': { path: '/shop/items/product', body: '', pointers: [''] },
  'deep nesting in a further property': { path: '/shop/items/product', body: `{"a": ${nested(90_000)}}` },
});
areRefused(415, 'media_type_unsupported', {
  'another content type': { body: '{}', headers: { 'content-type': 'text/xml' } },
  'another charset': { body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
  'a form for an operation without forms': {
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  'another encoding': { body: '{}', headers: { 'content-encoding': 'br' } },
});
areRefused(413, 'body_too_large', {
  'a gzip bomb': { body: gzipSync(Buffer.alloc(50_000_000)), headers: { 'content-encoding': 'gzip' } },
  'a huge body': { body: ' '.repeat(8_000_000) },
  'a body above the limit of its operation': { path: '/oauth/token', body: ' '.repeat(20_000) },
});
areRefused(400, 'body_invalid', {
  'a body that is not an object': { body: '[]', pointers: [''] },
  'an integer that JSON.parse rounds': {
    path: '/shop/recommendations/requests',
    body: '{"device_id":"d","page_type":"home","lists":[{"configuration_id":"c","list_name":"l","list_size":1}],"ean":[9007199254740993]}',
    pointers: ['/ean/0'],
  },
  'deep nesting': { body: nested(100_000), pointers: [''] },
  'violations in the body': { body: '{"events": [{}], "x": 1}', pointers: ['/events/0/event_type', '/x'] },
});
areRefused(501, 'operator_unsupported', {
  'an unknown operator': {
    path: '/configurations',
    body: '{"constraints": [{"query": {"key": "k", "regex": 1}}]}',
    pointers: ['/constraints/0/query/regex'],
  },
});
areRefused(400, 'parameter_invalid', {
  'violations in the query': {
    path: `${events}?partial=1&x=2`,
    body: '{',
    pointers: ['query:x', 'query:partial'],
  },
  'a malformed escape in the path': { path: '/shop/items/%zz', body: '{}', pointers: ['path:'] },
});
areRefused(404, 'route_unknown', {
  'an unknown path': { path: '/shop/nothing' },
});
areRefused(405, 'method_not_allowed', {
  'an unknown method': { method: 'PATCH' },
});
areRefused(401, 'unauthenticated', {
  'an unknown caller': { path: '/stranger/events', body: ' '.repeat(8_000_000) },
});
areRefused(429, 'rate_limited', {
  'too many requests': { path: '/busy/events', body: '{}' },
});
areRefused(503, 'unavailable', {
  'a starting service': { path: '/starting/items/product/1', method: 'DELETE' },
});
areRefused(400, 'item_unknown', {
  'a reason with a status of the operation': { path: '/lost/items/product/1/enable' },
});
areRefused(500, 'internal', {
  'an internal error': { path: '/broken/items/product/1', method: 'DELETE' },
});

test('errors have their headers', async (t) => {
  const { context } = t;
  t.is((await post(context, '/stranger/events', '{}')).headers.get('www-authenticate'), 'Bearer');
  t.is((await post(context, '/busy/events', '{}')).headers.get('retry-after'), '7');
  const starting = await fetch(`${context.url}/starting/items/product/1`, { method: 'DELETE' });
  t.is(starting.headers.get('retry-after'), '1');
  const response = await fetch(`${context.url}/configurations/a`, { method: 'PATCH' });
  t.is(response.headers.get('allow'), 'GET, PUT, DELETE, HEAD, OPTIONS');
});

test('internal errors are logged and not shown', async (t) => {
  const response = await fetch(`${t.context.url}/broken/items/product/1`, { method: 'DELETE' });
  t.notRegex(await response.text(), /secret/);
  t.is((t.context.logged[0].entry.err as Error).message, 'secret');
});

test('an unknown caller is refused before violations are reported', async (t) => {
  t.is((await post(t.context, '/stranger/events?x=1', '{')).status, 401);
});

test('a slow body is 408', async (t) => {
  const context = await start({ bodyTimeoutMs: 20 });
  const head = 'POST /api/shop/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"events"';
  t.regex(await exchange(context.port, head), /^HTTP\/1\.1 408 /);
  await context.close();
});

test('a chunked body is bounded too', async (t) => {
  const head = 'POST /api/shop/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunk = `${(100_000).toString(16)}\r\n${' '.repeat(100_000)}\r\n`;
  t.regex(await exchange(t.context.port, `${head}${chunk.repeat(3)}0\r\n\r\n`), /^HTTP\/1\.1 413 /);
});

test('a refused client that has sent its whole request keeps its connection', async (t) => {
  const head = 'POST /api/stranger/events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
  const last = 'GET /api/configurations HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const answers = await exchange(t.context.port, head + last);
  t.regex(answers, /^HTTP\/1\.1 401 /);
  t.regex(answers, /HTTP\/1\.1 200 /);
});

test('events may be JSON as text, which a beacon sends', async (t) => {
  const send = (path: string) =>
    fetch(t.context.url + path, {
      method: 'POST',
      body: '{"x": 1}',
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
    });
  t.is((await send(events)).status, 400);
  t.is((await send('/shop/searches/requests')).status, 415);
});

test('a disconnected client is not an error', async (t) => {
  const socket = connect(t.context.port, '127.0.0.1');
  socket.write('POST /api/shop/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await once(socket, 'ready');
  socket.resetAndDestroy();
  t.is((await fetch(`${t.context.url}/configurations`)).status, 200);
  t.deepEqual(t.context.logged, []);
});

test('a preflight names the methods of the path', async (t) => {
  const headers = { origin, 'access-control-request-method': 'PUT' };
  const response = await fetch(`${t.context.url}/configurations/a`, { method: 'OPTIONS', headers });
  t.is(response.status, 204);
  t.is(response.headers.get('access-control-allow-origin'), origin);
  t.is(response.headers.get('access-control-allow-methods'), 'GET, PUT, DELETE, HEAD');
  t.is(response.headers.get('access-control-allow-credentials'), 'true');
  const allowed = response.headers.get('access-control-allow-headers')!.split(', ');
  for (const name of ['traceparent', 'tracestate', 'baggage', 'sentry-trace']) t.true(allowed.includes(name));
  t.is((await fetch(`${t.context.url}/x/y`, { method: 'OPTIONS', headers })).status, 404);
});

test('answers and errors are readable for pages of allowed origins', async (t) => {
  for (const path of ['/configurations', '/nothing']) {
    const ours = await fetch(t.context.url + path, { headers: { origin } });
    t.is(ours.headers.get('access-control-allow-origin'), origin);
    const other = await fetch(t.context.url + path, { headers: { origin: 'https://other.example' } });
    t.is(other.headers.get('access-control-allow-origin'), null);
  }
});

test('any origin may be allowed', async (t) => {
  const context = await start({ corsOrigins: ['*'] });
  const response = await fetch(`${context.url}/configurations`, { headers: { origin } });
  t.is(response.headers.get('access-control-allow-origin'), '*');
  await context.close();
});

test('routes without an operation and conflicting routes prevent the start', (t) => {
  const operations = createOperations([]);
  const options = { ...optionsFor(operations, []), operations };
  t.throws(() => createGateway({ ...options, operations: new Map() }), { message: /no such operation/ });
  t.throws(() => createGateway({ ...options, routes: [...routes, routes[0]] }), { message: /already/ });
});

async function start(changed: { bodyTimeoutMs?: number; corsOrigins?: string[] } = {}): Promise<Context> {
  const handled: Handled[] = [];
  const logged: Context['logged'] = [];
  const options = optionsFor(createOperations(handled), logged);
  if (changed.bodyTimeoutMs) options.limits = { ...options.limits, bodyTimeoutMs: changed.bodyTimeoutMs };
  if (changed.corsOrigins) options.corsOrigins = changed.corsOrigins;
  const gateway = createGateway(options);
  const server = createServer((request: IncomingMessage, response: ServerResponse) =>
    gateway(request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/api`, port, handled, logged, close };
}

function optionsFor(operations: Operations, logged: Context['logged']): GatewayOptions {
  const log = (level: string) => (entry: Record<string, unknown>) => void logged.push({ level, entry });
  return {
    operations,
    routes,
    basePath: '/api',
    corsOrigins: [origin],
    limits: { bodyTimeoutMs: 60_000, maxBodyBytes, answerBytes: 4_000_000 },
    logFailure: createFailureLog({ error: log('error'), debug: log('debug') } as unknown as Logger),
    newRequestId: () => 'request-1',
    peers: createPeers([]),
    unread: anyUnread(),
  };
}

/** Every operation, answered with an empty response; some names of environments fail. */
function createOperations(handled: Handled[]): Operations {
  const methods = services.flatMap((service) => service.methods);
  return new Map(
    methods.map((method): [string, Operation] => {
      const name = `${method.parent.typeName}/${method.name}`;
      const operation = {
        name,
        method,
        options: getOption(method, operationOption),
        kind: 'unary' as const,
        admit: async () => undefined,
        enter(_call: Call, environment: string | undefined) {
          if (environment === 'stranger') throw new DomainError('UNAUTHENTICATED', 'Send a token.');
          if (environment === 'busy')
            throw new DomainError('RATE_LIMITED', 'Too many.', { metadata: { retry_after_seconds: '7' } });
        },
        async handle(message: Message, call: Call) {
          handled.push({ name, message, call });
          failFor((message as unknown as { environment: string }).environment);
          const configurationIds = name.endsWith('/ListConfigurations') ? ['a', 'b'] : undefined;
          return create(method.output, configurationIds && { configurationIds });
        },
      };
      return [name, operation];
    }),
  );
}

function failFor(environment: string): void {
  if (environment === 'starting') throw new DomainError('UNAVAILABLE', 'Not yet.');
  if (environment === 'lost') throw new DomainError('ITEM_UNKNOWN', 'No such item.');
  if (environment === 'broken') throw new Error('secret');
}

function requestJson(rpc: string, message: Message) {
  const method = services.flatMap((service) => service.methods).find(({ name }) => name === rpc)!;
  return encodeJson(method.input, message);
}

function post(
  { url }: Context,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  const type = { 'content-type': 'application/json' };
  return fetch(url + path, {
    method: 'POST',
    body: body as RequestInit['body'],
    headers: { ...type, ...headers },
  });
}

/** All data that the server sends until it closes the connection. */
async function exchange(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}
