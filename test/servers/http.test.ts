/** The HTTP port with TLS, and clients without it. */

import { once } from 'node:events';
import { get } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { refuseUnparsed } from '../../src/servers/gateway/http-refusal.ts';
import { createHttpServer, type HttpServerOptions } from '../../src/servers/http.ts';
import { createPeers } from '../../src/servers/peer-address.ts';
import { makeCertificate, sourceOf } from '../support/certificate.ts';
import { serveOperation } from './support/served-operation.ts';

const tls = makeCertificate();
const peers = createPeers([]);

/** A port with TLS that sends 'welcome'. */
async function start(t: ExecutionContext, options: Partial<HttpServerOptions> = {}) {
  const server = createHttpServer({
    gateway: (_request, response) => void response.end('welcome'),
    connect: { handles: () => false, handle: () => undefined },
    documents: { answer: () => false },
    readiness: async () => ({ ready: true, checks: {} }),
    refuse: (error, socket) => refuseUnparsed(error, socket, { basePath: '/api', requestId: 'r' }),
    connections: { perPeer: 100, peers, keyOf: (address) => address },
    tls: sourceOf(tls),
    ...options,
  });
  const port = await server.listen(0);
  t.teardown(() => server.close(0));
  const read = (path: string, { certificate: ca } = tls) =>
    new Promise<string>((resolve, reject) => {
      const request = get({ port, path, ca, agent: false }, (response) => resolve(text(response)));
      request.on('error', reject);
    });
  const open = async (said?: string | Buffer): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (said !== undefined) socket.write(said);
    return socket;
  };
  return { server, read, open };
}

/** The first bytes of a handshake. */
const halfAGreeting = Buffer.of(0x16, 3, 1, 2, 0);

/** Resolves even after a reset. */
const closeOf = (socket: Socket) => new Promise((resolve) => socket.resume().once('close', resolve));

for (const [title, said] of [
  ['nothing', undefined],
  ['half a greeting', halfAGreeting],
  ['plain HTTP', 'GET /api HTTP/1.1\r\nhost: localhost\r\n\r\n'],
] as const) {
  test(`a connection that sends ${title} to a TLS port is closed`, async (t) => {
    const { server, open } = await start(t, { handshakeTimeoutMs: 50 });
    const socket = await open(said);
    await closeOf(socket);
    t.true(socket.destroyed);
    await t.notThrowsAsync(server.close(60_000));
  });
}

test('connections that never start TLS delay no stop', async (t) => {
  const { server, open, read } = await start(t);
  const socket = await open(halfAGreeting);
  t.is(await read('/api'), 'welcome');
  const closed = closeOf(socket);
  await t.notThrowsAsync(server.close(50));
  await closed;
  t.true(socket.destroyed);
});

test('a new connection uses the renewed certificate', async (t) => {
  const source = sourceOf(tls);
  const { server, read } = await start(t, { tls: source });
  t.is(await read('/api'), 'welcome');
  const renewed = makeCertificate();
  source.renew(renewed);
  await t.throwsAsync(read('/api'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  t.is(await read('/api', renewed), 'welcome');
  await server.close(50);
});

test('both ports listen on the given address only', async (t) => {
  const { httpPort, grpcPort } = await serveOperation(t, { handle: async () => ({}), host: '127.0.0.2' });
  for (const port of [httpPort, grpcPort]) {
    const reach = (host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ port, host });
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        t.teardown(() => socket.destroy());
      });
    t.true(await reach('127.0.0.2'));
    t.false(await reach('127.0.0.1'));
  }
});

test('an idle connection is closed after the given time', async (t) => {
  const { open } = await start(t, { tls: undefined, keepAliveMs: 20 });
  const socket = await open('GET /api HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [answer] = await once(socket, 'data');
  t.regex(String(answer), /\r\nConnection: keep-alive\r\n/);
  await closeOf(socket);
  t.true(socket.destroyed);
});
