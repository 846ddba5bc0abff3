/** Calls are checked by their headers: a refused caller never sends the body, on any transport. */

import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import { ErrorInfoSchema, StatusSchema } from '../../gen/es/personalisation/rest/v1/status_pb.js';
import { createClients } from './support/clients.ts';
import { frame, sendBytes } from './support/frames.ts';
import { type ErrorDetail, failed } from './support/rpc.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const putItem = '/personalisation.v1.ItemService/PutItem';

type Held = { path: string; type: string; method?: string; headers?: Record<string, string> };

/** Sends the head of a request and nothing of its body, and waits for the answer. */
async function answerToHead(t: ExecutionContext, { path, type, method = 'POST', headers }: Held) {
  const request = httpRequest(service.origin + path, {
    method,
    headers: { 'content-type': type, ...headers },
  });
  t.teardown(() => request.destroy());
  request.on('error', () => undefined);
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(response, 'end');
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

/** The same on the gRPC port, with the first bytes of a message if given. */
async function grpcAnswer(
  t: ExecutionContext,
  headers: Record<string, string>,
  start?: Uint8Array,
  path = putItem,
) {
  const session = connectHttp2(`http://${service.grpcAddress}`);
  t.teardown(() => session.destroy());
  const fixed = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ...fixed, ':path': path, ...headers });
  stream.on('error', () => undefined);
  if (start) stream.write(start);
  const received: IncomingHttpHeaders = {};
  stream.on('trailers', (trailers) => Object.assign(received, trailers));
  const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  stream.resume();
  if (head['grpc-status'] === undefined) await once(stream, 'trailers');
  return { ...head, ...received };
}

const detailsOf = (value: unknown) => {
  const { details } = fromBinary(StatusSchema, Buffer.from(String(value), 'base64'));
  const [info] = details.filter(({ typeUrl }) => typeUrl.endsWith('ErrorInfo'));
  return fromBinary(ErrorInfoSchema, info.value).reason;
};

type JsonError = { details: { type: string; value: string }[] };

/** Reads an error that Connect writes as JSON. */
function connectReasonOf(body: Buffer): string {
  const { details } = JSON.parse(body.toString()) as JsonError;
  const decoded = details.map(({ type, value }) => ({ type, value: Buffer.from(value, 'base64') }));
  return failed(decoded as ErrorDetail[]).reason;
}

/** Reads the trailers that gRPC-Web writes after its messages. */
const webReasonOf = ({ headers, body }: { headers: IncomingMessage['headers']; body: Buffer }) =>
  detailsOf(
    headers['grpc-status-details-bin'] ??
      /grpc-status-details-bin: ?(\S+)/i.exec(body.toString('latin1'))?.[1],
  );

const length = { 'content-length': '500000' };

test('an unknown caller is refused before a byte of the body', async (t) => {
  const path = '/api/shop/items/product/x';
  const overHttp = await answerToHead(t, { path, method: 'PUT', type: 'application/json', headers: length });
  t.is(overHttp.status, 401);
  const overConnect = await answerToHead(t, { path: putItem, type: 'application/proto', headers: length });
  t.is(overConnect.status, 401);
  t.is(connectReasonOf(overConnect.body), 'UNAUTHENTICATED');
  const overWeb = await answerToHead(t, {
    path: putItem,
    type: 'application/grpc-web+proto',
    headers: length,
  });
  t.is(webReasonOf(overWeb), 'UNAUTHENTICATED');
  const overGrpc = await grpcAnswer(t, {});
  t.is(detailsOf(overGrpc['grpc-status-details-bin']), 'UNAUTHENTICATED');
});

test('a message over the operation’s limit is refused by its announced length', async (t) => {
  const { authorization } = service;
  const tooLong = { 'content-length': '5000000', authorization };
  const path = '/api/shop/items/product/x';
  const overHttp = await answerToHead(t, { path, method: 'PUT', type: 'application/json', headers: tooLong });
  t.is(overHttp.status, 413);
  const overConnect = await answerToHead(t, { path: putItem, type: 'application/proto', headers: tooLong });
  t.is(connectReasonOf(overConnect.body), 'BODY_TOO_LARGE');
  const overWeb = await answerToHead(t, {
    path: putItem,
    type: 'application/grpc-web+proto',
    headers: tooLong,
  });
  t.is(webReasonOf(overWeb), 'BODY_TOO_LARGE');
  const start = frame(new Uint8Array(0), { length: 5_000_000 });
  const overGrpc = await grpcAnswer(t, { authorization }, start);
  t.is(detailsOf(overGrpc['grpc-status-details-bin']), 'BODY_TOO_LARGE');
});

test('a write key may send less than a client with a token', async (t) => {
  const origin = 'https://shop.example';
  const writeKey = await createClients(service).createWriteKey({
    scopes: ['events:shop'],
    origins: [origin],
  });
  const byKey = { 'content-length': '1100000', authorization: `Bearer ${writeKey}`, origin };
  const path = '/api/shop/events';
  const postEvents = '/personalisation.v1.EventService/CreateEvents';
  const overHttp = await answerToHead(t, { path, type: 'application/json', headers: byKey });
  t.is(overHttp.status, 413);
  const overConnect = await answerToHead(t, { path: postEvents, type: 'application/proto', headers: byKey });
  t.is(connectReasonOf(overConnect.body), 'BODY_TOO_LARGE');
  const start = frame(new Uint8Array(0), { length: 1_100_000 });
  const { authorization } = byKey;
  const overGrpc = await grpcAnswer(t, { authorization, origin }, start, postEvents);
  t.is(detailsOf(overGrpc['grpc-status-details-bin']), 'BODY_TOO_LARGE');
  const items = Array.from({ length: 5_000 }, (_, i) => ({ item_id: `item-${i}-${'x'.repeat(100)}` }));
  const events = [{ type: 'product_page_view', timestamp: new Date().toISOString(), items }];
  const byToken = await fetch(service.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: service.authorization },
    body: JSON.stringify({ events: [...events, ...events] }),
  });
  t.not(byToken.status, 413, 'a body of 1.2 MB');
});

test('a body that unpacks beyond the operation’s limit is refused', async (t) => {
  const packed = gzipSync(Buffer.alloc(8_000_000));
  const { authorization } = service;
  const headers = { authorization, 'grpc-encoding': 'gzip' };
  const overGrpc = await sendBytes(
    service.grpcAddress,
    putItem,
    frame(packed, { compressed: true }),
    headers,
  );
  t.is(detailsOf(overGrpc.headers['grpc-status-details-bin']), 'BODY_TOO_LARGE');
  const overConnect = await fetch(service.origin + putItem, {
    method: 'POST',
    headers: { 'content-type': 'application/proto', 'content-encoding': 'gzip', authorization },
    body: packed,
  });
  t.is(((await overConnect.json()) as { code: string }).code, 'resource_exhausted');
});

test('a connection stays usable after a refused short body', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const ask = (headers: Record<string, string>) =>
    new Promise<{ status?: number; port?: number }>((resolve, reject) => {
      const { hostname, port } = new URL(service.origin);
      const options = { agent, hostname, port, path: putItem, method: 'POST', headers };
      const request = httpRequest(options, (response) => {
        const { localPort } = response.socket;
        response.resume().on('end', () => resolve({ status: response.statusCode, port: localPort }));
      });
      request.on('error', reject).end(Buffer.alloc(1000));
    });
  const json = { 'content-type': 'application/json' };
  const [first, second] = [await ask(json), await ask(json)];
  t.deepEqual([first.status, second.status], [401, 401]);
  t.is(first.port, second.port);
});
