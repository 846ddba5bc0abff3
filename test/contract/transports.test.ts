/** The transports: health, reflection, gRPC-Web, Connect, request ids, and broken frames. */

import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createGrpcWebTransport } from '@connectrpc/connect-node';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import test from 'ava';
import { service as healthDefinition } from 'grpc-health-check';
import { BadRequestSchema, ErrorInfoSchema } from '../../gen/es/personalisation/rest/v1/status_pb.js';
import {
  GetItemRequestSchema,
  GetItemResponseSchema,
  PutItemRequestSchema,
} from '../../gen/es/personalisation/v1/item_service_pb.js';
import { services } from '../../gen/rest/services.ts';
import { startTestService } from '../support/service.ts';
import { createCaller } from './support/connect.ts';
import { frame, sendBytes } from './support/frames.ts';
import type { Transport } from './support/operation.ts';
import { describeSymbol, reflect } from './support/reflection.ts';
import { isAnsweredEverywhere } from './support/same-answer.ts';
import { createConfiguration, getItem, listConfigurations, putItem } from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();

test.before('an item is stored', async (t) => {
  t.is((await service.transports.http(putItem({ itemId: 'chair' }, { title: 'Chair' }))).status, 200);
});

type Health = { status: string };

const check = healthDefinition.Check;
const watch = healthDefinition.Watch;

/** The health of a service by its name; '' for the whole. */
function healthOf(address: string, name: string): Promise<string> {
  const client = new Client(address, credentials.createInsecure());
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      check.path,
      check.requestSerialize,
      check.responseDeserialize as unknown as (bytes: Buffer) => Health,
      { service: name },
      new Metadata(),
      {},
      (error, answer) => {
        client.close();
        resolve(error ? status[error.code] : answer!.status);
      },
    );
  });
}

for (const name of ['', ...services.map(({ typeName }) => typeName)]) {
  test(`the health service says that ${name || 'the whole service'} is serving`, async (t) => {
    t.is(await healthOf(service.grpcAddress, name), 'SERVING');
  });
}

test('the health service does not know other services', async (t) => {
  t.is(await healthOf(service.grpcAddress, 'personalisation.v1.Nothing'), 'NOT_FOUND');
});

test('a health watch reports that the service stops', async (t) => {
  const stopping = await startTestService(t);
  const client = new Client(stopping.grpcAddress, credentials.createInsecure());
  const stream = client.makeServerStreamRequest(
    watch.path,
    watch.requestSerialize,
    watch.responseDeserialize as unknown as (bytes: Buffer) => Health,
    { service: '' },
  );
  stream.on('error', () => undefined);
  const [first] = (await once(stream, 'data')) as [Health];
  t.is(first.status, 'SERVING');
  const next = once(stream, 'data') as Promise<[Health]>;
  const stopped = stopping.stop();
  t.is((await next)[0].status, 'NOT_SERVING');
  stream.cancel();
  client.close();
  await stopped;
});

for (const version of ['v1', 'v1alpha'] as const) {
  test(`reflection ${version} lists the services`, async (t) => {
    const { listServicesResponse } = await reflect(service.grpcAddress, version, { listServices: '*' });
    const names = listServicesResponse!.service.map(({ name }) => name);
    for (const { typeName } of services) t.true(names.includes(typeName), typeName);
  });

  test(`reflection ${version} describes every service completely`, async (t) => {
    for (const { typeName } of services) {
      const files = await describeSymbol(service.grpcAddress, version, typeName);
      const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: inOrder(files) }));
      const described = registry.getService(typeName);
      const ours = services.find((candidate) => candidate.typeName === typeName)!;
      t.deepEqual(
        described?.methods.map(({ name }) => name),
        ours.methods.map(({ name }) => name),
      );
    }
  });
}

test('reflection does not know other symbols', async (t) => {
  const { errorResponse } = await reflect(service.grpcAddress, 'v1', { fileContainingSymbol: 'a.b.C' });
  t.is(errorResponse?.errorCode, status.NOT_FOUND);
});

/** Imported files before those that import them. */
function inOrder(files: Map<string, FileDescriptorProto>): FileDescriptorProto[] {
  const ordered = new Set<FileDescriptorProto>();
  const visit = (name: string) => {
    const file = files.get(name)!;
    for (const dependency of file.dependency) visit(dependency);
    ordered.add(file);
  };
  for (const name of files.keys()) visit(name);
  return [...ordered];
}

test('gRPC-Web has the same answers', async (t) => {
  const call = createCaller(createGrpcWebTransport({ baseUrl: service.origin, httpVersion: '1.1' }));
  const web: Transport = (operation, token = service.authorization) => call(operation, token);
  const both = { http: service.transports.http, web };
  await isAnsweredEverywhere(t, both, getItem({ itemId: 'chair' }), { status: 200 });
  await isAnsweredEverywhere(t, both, getItem({ itemId: 'unknown' }), {
    status: 404,
    reason: 'item_unknown',
  });
  await isAnsweredEverywhere(t, both, createConfiguration({}), {
    status: 400,
    reason: 'body_invalid',
    pointers: ['/configuration_id'],
  });
});

const rpc = '/personalisation.v1.ItemService/GetItem';

function postJson(path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  return fetch(service.origin + path, {
    method: 'POST',
    headers: {
      authorization: service.authorization,
      'content-type': 'application/json',
      ...headers,
    },
    body: body as RequestInit['body'],
  });
}

const chair = JSON.stringify({ environment: 'shop', itemType: 'product', itemId: 'chair' });

test('Connect accepts JSON by POST', async (t) => {
  const response = await postJson(rpc, chair);
  t.is(response.status, 200);
  t.like(await response.json(), { item: { itemId: 'chair', title: 'Chair', enabled: true } });
  t.truthy(response.headers.get('x-request-id'));
});

test('Connect accepts packed JSON', async (t) => {
  const response = await postJson(rpc, gzipSync(chair), { 'content-encoding': 'gzip' });
  t.is(response.status, 200);
});

test('Connect errors carry the details of gRPC errors', async (t) => {
  const refused = await postJson(
    '/personalisation.v1.ConfigurationService/CreateConfiguration',
    '{"configuration": {}}',
  );
  t.is(refused.status, 400);
  const { code, details } = (await refused.json()) as {
    code: string;
    details: { type: string; value: string; debug: object }[];
  };
  t.is(code, 'invalid_argument');
  t.like(details[0].debug, { reason: 'BODY_INVALID', domain: 'personalisation' });
  const bytes = (type: string) =>
    Buffer.from(details.find((detail) => detail.type === type)!.value, 'base64');
  t.like(fromBinary(ErrorInfoSchema, bytes('google.rpc.ErrorInfo')), {
    reason: 'BODY_INVALID',
    domain: 'personalisation',
  });
  t.like(fromBinary(BadRequestSchema, bytes('google.rpc.BadRequest')).fieldViolations[0], {
    field: 'configuration.configuration_id',
    pointer: '/configuration_id',
  });
});

test('Connect refuses unknown fields, as REST does', async (t) => {
  const refused = await postJson(rpc, chair.replace('{', '{"unknown_field": 1, '));
  t.is(refused.status, 400);
  t.regex(await refused.text(), /unknown_field/);
});

test('Connect refuses GET', async (t) => {
  const query = `?encoding=json&message=${encodeURIComponent(chair)}`;
  const response = await fetch(service.origin + rpc + query, {
    headers: { authorization: service.authorization },
  });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'POST, OPTIONS');
});

test('Connect does not know other methods', async (t) => {
  t.is((await postJson('/personalisation.v1.ItemService/Nothing', '{}')).status, 404);
});

test('Connect refuses a body that is not JSON', async (t) => {
  const response = await postJson(rpc, '{');
  t.is(response.status, 400);
  t.is(((await response.json()) as { code: string }).code, 'invalid_argument');
});

test('an unknown service is an unknown path', async (t) => {
  const response = await postJson('/personalisation.v1.Nothing/Nothing', '{}');
  t.is(response.status, 404);
  t.is(response.headers.get('content-type'), 'application/problem+json');
});

const asked = toBinary(
  GetItemRequestSchema,
  create(GetItemRequestSchema, { environment: 'shop', itemType: 'product', itemId: 'chair' }),
);

const send = (bytes: Uint8Array, headers: Record<string, string> = {}, path = rpc) =>
  sendBytes(service.grpcAddress, path, bytes, { authorization: service.authorization, ...headers });

test('a gRPC answer names its request in the trailers', async (t) => {
  const { headers, body } = await send(frame(asked));
  t.is(headers['grpc-status'], '0');
  t.regex(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
  t.is(fromBinary(GetItemResponseSchema, body.subarray(5)).item?.title, 'Chair');
});

test('each call has its own request id, regardless of the caller’s headers', async (t) => {
  const ids = new Set<unknown>();
  for (let i = 0; i < 3; i++)
    ids.add((await send(frame(asked), { 'x-request-id': 'mine' })).headers['x-request-id']);
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`${service.baseUrl}/configurations`, {
      headers: { 'x-request-id': 'mine' },
    });
    ids.add(response.headers.get('x-request-id'));
  }
  t.is(ids.size, 6);
  t.false(ids.has('mine'));
});

for (const timeout of ['597H', '50000M', '2592000S', '99999999H']) {
  test(`a deadline of ${timeout} is far ahead and has not passed`, async (t) => {
    for (let i = 0; i < 5; i++)
      t.is((await send(frame(asked), { 'grpc-timeout': timeout })).headers['grpc-status'], '0');
  });
}

test('a compressed gRPC message is accepted', async (t) => {
  const { headers } = await send(frame(gzipSync(asked), { compressed: true }), { 'grpc-encoding': 'gzip' });
  t.is(headers['grpc-status'], String(status.OK));
});

test('a gRPC compression bomb is refused', async (t) => {
  const item = create(PutItemRequestSchema, { item: { description: 'x'.repeat(64 * 1024 * 1024) } });
  const packed = gzipSync(toBinary(PutItemRequestSchema, item));
  const path = '/personalisation.v1.ItemService/PutItem';
  const { headers } = await send(frame(packed, { compressed: true }), { 'grpc-encoding': 'gzip' }, path);
  t.is(headers['grpc-status'], String(status.RESOURCE_EXHAUSTED));
});

const brokenCalls: Record<string, () => ReturnType<typeof send>> = {
  'a frame that is cut off': () => send(frame(asked, { length: asked.length + 100 })),
  'a frame without its length': () => send(frame(asked).subarray(0, 3)),
  'no frame': () => send(new Uint8Array()),
  'a compressed frame that is not': () =>
    send(frame(asked, { compressed: true }), { 'grpc-encoding': 'gzip' }),
  'a frame of an unknown compression': () =>
    send(frame(asked, { compressed: true }), { 'grpc-encoding': 'rot13' }),
  'a frame that claims four gigabytes': () => send(frame(asked, { length: 0xffffffff })),
};

for (const [title, call] of Object.entries(brokenCalls)) {
  test(`${title} is refused, and the service continues`, async (t) => {
    const { headers } = await call();
    t.regex(String(headers['grpc-status']), /^[1-9]\d*$/);
    t.is((await send(frame(asked))).headers['grpc-status'], '0');
  });
}

test('an unreadable gRPC message is BODY_INVALID', async (t) => {
  const { headers } = await send(frame(new Uint8Array([0x0a, 0xff])));
  t.is(headers['grpc-status'], String(status.INVALID_ARGUMENT));
  t.truthy(headers['x-request-id']);
});

test('a gRPC message above the limit of its operation is RESOURCE_EXHAUSTED', async (t) => {
  const { headers } = await send(frame(new Uint8Array(1024 * 1024 + 1)));
  t.is(headers['grpc-status'], String(status.RESOURCE_EXHAUSTED));
});

for (const path of [
  '/personalisation.v1.ItemService/Nothing',
  '/personalisation.v1.Nothing/GetItem',
  '/',
  '/x',
]) {
  test(`the gRPC path ${path} is UNIMPLEMENTED`, async (t) => {
    const { headers } = await send(frame(asked), {}, path);
    t.is(headers['grpc-status'], String(status.UNIMPLEMENTED));
  });
}

test('a gRPC path with another content type is refused', async (t) => {
  const { headers } = await send(frame(asked), { 'content-type': 'text/plain' });
  t.is(headers[':status'] as unknown, 415);
});

test('an empty answer is an empty list', async (t) => {
  const empty = await startTestService(t);
  const response = await fetch(`${empty.baseUrl}${listConfigurations.path}`, {
    headers: { authorization: empty.authorization },
  });
  t.deepEqual(await response.json(), []);
});
