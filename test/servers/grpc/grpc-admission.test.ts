/** Admission of gRPC calls, on plain HTTP/2. */

import { once } from 'node:events';
import { connect } from 'node:http2';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Call } from '../../../src/handlers/chain/call.ts';
import { connectPath, serveOperation } from '../support/served-operation.ts';

/** Sends a frame and returns the status of the call. */
async function send(t: ExecutionContext, frame: Buffer, hasToken: boolean, encoding = 'identity') {
  const { grpcPort } = await serveOperation(t, {
    handle: async () => ({}),
    async admit(call: Call) {
      if (hasToken) call.caller = { clientId: 'c', kind: 'confidential', scopes: [] };
    },
  });
  const session = connect(`http://127.0.0.1:${grpcPort}`);
  t.teardown(() => session.destroy());
  session.on('error', () => undefined);
  const stream = session
    .request({
      ':method': 'POST',
      ':path': connectPath,
      'content-type': 'application/grpc',
      'grpc-encoding': encoding,
      te: 'trailers',
    })
    .on('error', () => undefined)
    .resume();
  const isWhole = frame.length === frame.readUInt32BE(1) + 5;
  if (isWhole) stream.end(frame);
  else stream.write(frame);
  const trailers = once(stream, 'trailers').catch(() => [{}]);
  const [headers] = await once(stream, 'response');
  /** A refusal has its status in the headers. */
  const [last] = 'grpc-status' in headers ? [headers] : await trailers;
  session.destroy();
  return Number(last['grpc-status']);
}

const frameOf = (message: Buffer, flag = 0, length = message.length) => {
  const header = Buffer.alloc(5);
  header.writeUInt8(flag);
  header.writeUInt32BE(length, 1);
  return Buffer.concat([header, message]);
};

const compressedFrame = frameOf(gzipSync(Buffer.alloc(0)), 1);

test('compressed messages are accepted with a token', async (t) => {
  t.is(await send(t, compressedFrame, true, 'gzip'), 0);
});

test('compressed messages without a token are INVALID_ARGUMENT', async (t) => {
  t.is(await send(t, compressedFrame, false, 'gzip'), 3);
});

test('a message over the limit of its operation is refused by its announced length', async (t) => {
  t.is(await send(t, frameOf(Buffer.alloc(10), 0, 1024 * 1024 + 1), true), 8);
});

test('a message over the limit of the whole server is refused in the same way', async (t) => {
  t.is(await send(t, frameOf(Buffer.alloc(10), 0, 2 ** 31), true), 8);
});
