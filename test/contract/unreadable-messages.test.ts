/** An unreadable message is the caller's error over every rpc transport. */

import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { ErrorInfoSchema } from '../../gen/es/personalisation/rest/v1/status_pb.js';
import { EventType } from '../../gen/es/personalisation/v1/event_pb.js';
import { CreateEventsRequestSchema } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { DomainError } from '../../src/errors.ts';
import { toGrpcDetails, toRpcMessage } from '../../src/handlers/chain/errors.ts';
import { shopDeployment, startTestService, type TestService } from '../support/service.ts';
import { frame, sendBytes } from './support/frames.ts';

/** More than the calls of this file. */
const atOnce = 20;

let service: TestService;

test.before(async () => {
  const limited = `${shopDeployment}\nrate_limits: [ { operations: [items], at_once: ${atOnce} } ]\n`;
  service = await startTestService({ teardown: () => undefined }, limited);
});

test.after.always(() => service?.stop());

const path = '/personalisation.v1.ItemService/GetItem';
const streamPath = '/personalisation.v1.EventService/ExportEvents';

/** A text that is not UTF-8, and a field that ends after the message. */
const unreadable: [title: string, bytes: Uint8Array][] = [
  ['no UTF-8', Buffer.from([0x0a, 0x02, 0xc3, 0x28])],
  ['an early end', Buffer.from([0x0a, 0x20, 0x61])],
];

async function post(url: string, contentType: string, body: Uint8Array, more: Record<string, string> = {}) {
  const headers = { 'content-type': contentType, authorization: service.authorization, ...more };
  const answer = await fetch(new URL(url, service.baseUrl), {
    method: 'POST',
    headers,
    body: Buffer.from(body),
  });
  return { status: answer.status, text: await answer.text() };
}

for (const [title, bytes] of unreadable) {
  test(`${title}: Connect answers invalid_argument with the reason`, async (t) => {
    const { status, text } = await post(path, 'application/proto', bytes);
    t.is(status, 400);
    t.like(JSON.parse(text), { code: 'invalid_argument', message: 'The message is not well-formed.' });
    t.regex(text, /google\.rpc\.ErrorInfo/);
  });

  test(`${title}: a Connect stream ends with invalid_argument`, async (t) => {
    const { text } = await post(streamPath, 'application/connect+proto', frame(bytes));
    t.regex(text, /"code":"invalid_argument"/);
  });

  test(`${title}: gRPC-Web answers INVALID_ARGUMENT`, async (t) => {
    const { text } = await post(path, 'application/grpc-web+proto', frame(bytes));
    t.regex(text, /grpc-status: 3\b/);
  });

  test(`${title}: gRPC answers INVALID_ARGUMENT`, async (t) => {
    const { authorization } = service;
    const { headers } = await sendBytes(service.grpcAddress, path, frame(bytes), { authorization });
    t.is(headers['grpc-status'], '3');
  });
}

const json = (value: object) => Buffer.from(JSON.stringify(value));
const misspelt = json({ environment: 'shop', itemType: 'product', itemId: 5 });

type Unread = [title: string, says: RegExp, ...Parameters<typeof post>];

const unread: Unread[] = [
  ['JSON of a wrong type', /item_id/, path, 'application/json', misspelt],
  ['no JSON', /JSON/, path, 'application/json', Buffer.from('{')],
  ['no JSON in a stream', /JSON/, streamPath, 'application/connect+json', frame(Buffer.from('{'))],
  ['no gzip', /well-formed/, path, 'application/json', misspelt, { 'content-encoding': 'gzip' }],
];

for (const [title, says, ...asked] of unread) {
  test(`${title}: Connect answers with the reason and a description`, async (t) => {
    const { text } = await post(...asked);
    const answer = JSON.parse(text.slice(text.indexOf('{')));
    const { code, message, details } = answer.error ?? answer;
    t.is(code, 'invalid_argument');
    t.regex(message, says);
    const info = details.find(({ type }: { type: string }) => type === 'google.rpc.ErrorInfo');
    const { reason, metadata } = fromBinary(ErrorInfoSchema, Buffer.from(info.value, 'base64'));
    t.is(reason, 'BODY_INVALID');
    t.regex(metadata.request_id, /^[0-9a-f-]{36}$/);
  });
}

test('invalid headers are reported as such', async (t) => {
  const { status, text } = await post(path, 'application/json', misspelt, { 'connect-timeout-ms': 'soon' });
  t.is(status, 400);
  t.regex(text, /timeout/);
});

/** Far below the largest message in packed form. */
const packed = gzipSync(Buffer.alloc(4 * 1024 * 1024));
const packedFrame = Buffer.concat([Buffer.from([1]), frame(packed).subarray(1)]);
const overlongFrame = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 0]);

type TooLarge = [title: string, ...Parameters<typeof post>];

const tooLarge: TooLarge[] = [
  ['Connect', path, 'application/proto', packed, { 'content-encoding': 'gzip' }],
  [
    'a Connect stream',
    streamPath,
    'application/connect+proto',
    packedFrame,
    { 'connect-content-encoding': 'gzip' },
  ],
  ['gRPC-Web', path, 'application/grpc-web+proto', packedFrame, { 'grpc-encoding': 'gzip' }],
  ['gRPC-Web, by its frame', path, 'application/grpc-web+proto', overlongFrame],
];

for (const [title, ...asked] of tooLarge) {
  test(`a message that is too large after unpacking gets the reason: ${title}`, async (t) => {
    const { text } = await post(...asked);
    t.regex(text, /must(%20| )not(%20| )be(%20| )larger(%20| )than(%20| )1048576/);
  });
}

for (const contentType of ['application/proto', 'application/grpc-web+proto']) {
  test.serial(`${contentType}: unreadable messages leave no open calls`, async (t) => {
    const [[, bytes]] = unreadable;
    const body = contentType.includes('web') ? frame(bytes) : bytes;
    for (let i = 0; i < 2 * atOnce; i++) {
      const { text } = await post(path, contentType, body);
      t.regex(text, /not(%20| )well-formed/);
    }
  });
}

test('an event with a time that JSON cannot represent is refused', async (t) => {
  const timestamp = { seconds: 2n ** 60n, nanos: 0 };
  const event = { eventType: EventType.PAGE_VISIT, deviceId: 'd', timestamp };
  const request = create(CreateEventsRequestSchema, { environment: 'shop', batch: { events: [event] } });
  const bytes = toBinary(CreateEventsRequestSchema, request);
  const url = '/personalisation.v1.EventService/CreateEvents';
  const { status, text } = await post(url, 'application/proto', bytes);
  t.is(status, 400);
  t.regex(text, /years 1 to 9999/);
});

/** Bytes of trailers that many clients accept, without those of every answer. */
const mostTrailerBytes = 8_192 - 600;

for (const letter of ['a', 'й', '漢', '"', '\u{1f600}']) {
  test(`an error that quotes a request fits into the trailers that clients accept: ${letter}`, (t) => {
    for (const length of [1, 20, 300, 1_000, 30_000]) {
      const long = letter.repeat(length);
      const violations = Array.from({ length: 100 }, (_, i) => ({
        pointer: `/${long}${i}`,
        detail: 'Is no.',
      }));
      for (const names of [[], ['first', 'second', 'third']]) {
        const metadata = Object.fromEntries(names.map((name) => [name, long]));
        const error = new DomainError('PARAMETER_INVALID', `${long}: ${long}`, { metadata, violations });
        const message = encodeURIComponent(toRpcMessage(error));
        const details = Buffer.from(
          toGrpcDetails(error, { method: ItemService.method.putItem, requestId: 'id' }),
        ).toString('base64');
        t.true(message.length + details.length < mostTrailerBytes, `${length}`);
      }
    }
  });
}

/** The bytes of a client that sends a body in parts, and the next call after the answer. */
const head = (url: string, contentType: string, length: number): string =>
  [
    `POST ${url} HTTP/1.1`,
    'host: localhost',
    `authorization: ${service.authorization}`,
    `content-type: ${contentType}`,
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n');

for (const [contentType, url] of [
  ['application/grpc-web+proto', path],
  ['application/connect+proto', streamPath],
]) {
  test(`${contentType}: unread data of a call does not delay the next one on its connection`, async (t) => {
    const socket = connect(Number(new URL(service.baseUrl).port), 'localhost');
    t.teardown(() => void socket.destroy());
    const answers = socket.setEncoding('latin1')[Symbol.asyncIterator]();
    /** Ends with the connection, too. */
    const readUntil = async (wanted: RegExp): Promise<string> => {
      let text = '';
      while (!wanted.test(text)) {
        const { value, done } = await answers.next();
        if (done) break;
        text += value;
      }
      return text;
    };
    const end = /\r\n0\r\n\r\n$/;
    const refusal = /^HTTP\/1.1 400/;
    const refused = frame(unreadable[0][1]);
    const rest = frame(Buffer.alloc(300_000, 7));
    socket.write(head(url, contentType, refused.length + rest.length));
    socket.write(refused);
    t.regex(await readUntil(end), end);
    socket.write(rest);
    socket.write(head(path, 'application/proto', 0));
    t.regex(await readUntil(refusal), refusal);
  });
}
