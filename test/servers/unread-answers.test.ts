/** Clients that never read: unread bytes, counted on both sides. */

import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createUnreadAnswers, type UnreadAnswers } from '../../src/servers/unread-answers.ts';
import { connectPath, itemPath, serveOperation } from './support/served-operation.ts';

const answerBytes = 1_000_000;
const connectionCount = 12;
/** More than the system's buffers of a connection. */
const callsPerConnection = 16;
/** Calls of one HTTP/2 connection. */
const callCount = 40;
const emptyMessage = Buffer.alloc(5);

async function serveLarge(t: ExecutionContext, { perPeer, total }: { perPeer: number; total: number }) {
  const counted = createUnreadAnswers({ perPeer, total, keyOf: (address) => address });
  const state = { mostBytes: 0, refused: 0 };
  const unread: UnreadAnswers = {
    get totalBytes() {
      return counted.totalBytes;
    },
    check: (peer) => noteRefusal(() => counted.check(peer)),
    hold: (...answer) =>
      noteRefusal(() => {
        const release = counted.hold(...answer);
        state.mostBytes = Math.max(state.mostBytes, counted.totalBytes);
        return release;
      }),
  };
  const noteRefusal = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      state.refused += 1;
      throw error;
    }
  };
  const ports = await serveOperation(t, {
    unread,
    answerBytes: 2 * answerBytes,
    handle: async () => ({ item: { itemType: 't', itemId: 'i', title: 'x'.repeat(answerBytes) } }),
  });
  return { ...ports, unread, state };
}

/** An HTTP client that sends requests on each connection without reading. */
async function askUnread(t: ExecutionContext, port: number, address: string, request: string) {
  const sockets: Socket[] = [];
  for (let count = 0; count < connectionCount; count++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    socket.on('error', () => undefined).pause();
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(request.repeat(callsPerConnection));
    sockets.push(socket);
  }
  return sockets;
}

const requests: Record<string, string> = {
  http: `GET ${itemPath} HTTP/1.1\r\nhost: x\r\n\r\n`,
  connect: `POST ${connectPath} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
};

const readOne = (port: number, address: string) =>
  new Promise<number>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    let byteCount = 0;
    socket.on('data', (chunk) => {
      byteCount += chunk.length;
    });
    socket.on('error', () => undefined).on('close', () => resolve(byteCount));
    socket.write(`GET ${itemPath} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  });

for (const [name, request] of Object.entries(requests)) {
  test(`${name}: a peer that never reads is refused above its limit, and others are served`, async (t) => {
    const perPeer = 4 * answerBytes;
    const { httpPort, unread, state } = await serveLarge(t, { perPeer, total: 1e9 });
    const sockets = await askUnread(t, httpPort, '127.0.0.1', request);
    const stranger = '127.0.0.2';
    t.true((await readOne(httpPort, stranger)) > answerBytes);
    t.true(unread.totalBytes <= perPeer, String(unread.totalBytes));
    t.true(
      state.mostBytes > answerBytes && state.mostBytes <= perPeer + 2 * answerBytes,
      String(state.mostBytes),
    );
    t.true(state.refused > 0);
    for (const socket of sockets) socket.destroy();
    while (unread.totalBytes > 0) await new Promise(setImmediate);
    t.true((await readOne(httpPort, '127.0.0.1')) > answerBytes, 'it is served again once it has let go');
  });
}

test('above the total limit, the peer with the most unread bytes loses its answers', async (t) => {
  const total = 4 * answerBytes;
  const { httpPort, unread, state } = await serveLarge(t, { perPeer: 1e9, total });
  for (const address of ['127.0.0.1', '127.0.0.2', '127.0.0.3'])
    await askUnread(t, httpPort, address, requests.http);
  t.true((await readOne(httpPort, '127.0.0.4')) > answerBytes);
  t.true(unread.totalBytes <= total);
  t.true(state.mostBytes <= total, String(state.mostBytes));
});

function call(session: ClientHttp2Session) {
  const headers = {
    ':method': 'POST',
    ':path': connectPath,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const stream = session.request(headers).on('error', () => undefined);
  stream.end(emptyMessage);
  return stream;
}

async function openGrpc(t: ExecutionContext, grpcPort: number) {
  const session = connectHttp2(`http://127.0.0.1:${grpcPort}`, { settings: { initialWindowSize: 65_535 } });
  session.on('error', () => undefined);
  t.teardown(() => session.destroy());
  await once(session, 'connect');
  return session;
}

test('grpc: a peer that never reads is refused above its limit until it cancels its calls', async (t) => {
  const perPeer = 4 * answerBytes;
  const { grpcPort, unread, state } = await serveLarge(t, { perPeer, total: 1e9 });
  const session = await openGrpc(t, grpcPort);
  const codes: (string | undefined)[] = [];
  const streams = Array.from({ length: callCount }, () => call(session));
  /** A refused call has its status in the headers. */
  const answered = await Promise.all(
    streams.map(async (stream) => {
      const [headers] = (await once(stream, 'response')) as [Record<string, string>];
      codes.push(headers['grpc-status']);
      return stream;
    }),
  );
  const answeredCount = codes.filter((code) => code === undefined).length;
  t.true(answeredCount > 0 && answeredCount < perPeer / answerBytes, String(answeredCount));
  t.is(codes.filter((code) => code === '8').length, callCount - answeredCount);
  t.true(unread.totalBytes <= perPeer);
  t.true(state.mostBytes <= perPeer);
  for (const stream of answered) stream.close(constants.NGHTTP2_CANCEL);
  while (unread.totalBytes > 0) await new Promise(setImmediate);
  const again = call(session);
  let byteCount = 0;
  for await (const chunk of again) byteCount += chunk.length;
  t.true(byteCount > answerBytes);
});

test('grpc: answers no longer count once read', async (t) => {
  const { grpcPort, unread } = await serveLarge(t, { perPeer: 1e9, total: 1e9 });
  const session = await openGrpc(t, grpcPort);
  session.setLocalWindowSize(2 ** 30);
  const stream = call(session);
  for await (const _chunk of stream);
  while (unread.totalBytes > 0) await new Promise(setImmediate);
  t.is(unread.totalBytes, 0);
});
