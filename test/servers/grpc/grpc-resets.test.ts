/** Cancelled calls over HTTP/2, and the other calls of their connection. */

import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import test, { type ExecutionContext } from 'ava';
import { connectPath, type ServedOperation, serveOperation } from '../support/served-operation.ts';

/** An empty message in its frame. */
const emptyMessage = Buffer.alloc(5);

function call(session: ClientHttp2Session) {
  const stream = session.request({
    ':method': 'POST',
    ':path': connectPath,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  return stream.on('error', () => undefined);
}

async function open(t: ExecutionContext, operation: ServedOperation): Promise<ClientHttp2Session> {
  const { grpcPort } = await serveOperation(t, operation);
  const session = connect(`http://127.0.0.1:${grpcPort}`);
  session.on('error', () => undefined);
  t.teardown(() => session.destroy());
  await once(session, 'connect');
  return session;
}

async function giveUp(session: ClientHttp2Session, count: number): Promise<void> {
  for (let given = 0; given < count && !session.closed; given++) {
    const stream = call(session);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.end(emptyMessage);
    stream.close(constants.NGHTTP2_CANCEL);
    await closed;
  }
}

test('1,300 cancelled calls do not affect the others of their connection', async (t) => {
  let answer: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const session = await open(t, { handle: () => waiting.then(() => ({})) });
  const untouched = call(session);
  untouched.end(emptyMessage);
  const headers = once(untouched, 'response');
  const trailers = once(untouched.resume(), 'trailers');
  await giveUp(session, 1_300);
  t.false(session.destroyed);
  answer();
  await headers;
  t.is(Number((await trailers)[0]['grpc-status']), 0);
});

test('a peer without a token that exceeds its budget loses its connection', async (t) => {
  const most = 50;
  const taken: boolean[] = [];
  const session = await open(t, {
    handle: async () => ({}),
    resets: { take: (_address, isKnown) => taken.push(isKnown) <= most },
  });
  const goodbye = new Promise((resolve) => session.once('goaway', resolve));
  const closed = new Promise((resolve) => session.once('close', resolve));
  await giveUp(session, 10_000);
  const code = await goodbye;
  await closed;
  t.is(code, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  t.is(taken.length, most + 1, 'nothing is counted of a connection that is closed');
  t.true(taken.every((isKnown) => !isKnown));
});

test('a connection is known after a call with a valid token', async (t) => {
  const taken: boolean[] = [];
  const session = await open(t, {
    handle: async () => ({}),
    async admit(call) {
      call.caller = { clientId: 'c', kind: 'confidential', scopes: [] };
    },
    resets: { take: (_address, isKnown) => taken.push(isKnown) > 0 },
  });
  const first = call(session);
  first.end(emptyMessage);
  await once(first.resume(), 'close');
  while (taken.length === 0) await giveUp(session, 1);
  t.true(taken[0]);
});
