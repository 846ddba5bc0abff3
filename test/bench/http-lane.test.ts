/** HTTP lanes, which rest between rows for longer than servers keep idle connections. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import { mostAtOnce } from '../../src/security/rate-limits.ts';
import { createHttpLane, encodeRequest } from './http-lane.ts';
import type { Lane } from './load.ts';
import { searchDeployment } from './search-service.ts';
import { countOf, defaultLanes } from './sizes.ts';
import { deploymentYaml } from './world.ts';

const request = encodeRequest({ method: 'GET', path: '/' });

const exchange = (lane: Lane<Buffer>) =>
  new Promise<string | undefined>((done) => lane.exchange(request, done));

/** Starts a server with empty answers that keeps idle connections. */
async function startServer(
  t: ExecutionContext,
): Promise<{ server: Server; port: number; sockets: Socket[] }> {
  const server = createServer({ keepAliveTimeout: 0 }, (_, response) =>
    response.writeHead(200, { 'content-length': 0 }).end(),
  );
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

test('a lane uses one connection as long as the server keeps it', async (t) => {
  const { port, sockets } = await startServer(t);
  const lane = createHttpLane(port);
  t.teardown(lane.close);
  for (let turn = 0; turn < 3; turn++) t.is(await exchange(lane), undefined);
  t.is(sockets.length, 1);
});

test('a lane opens a new connection after the server closed the idle one', async (t) => {
  const { port, sockets } = await startServer(t);
  const lane = createHttpLane(port);
  t.teardown(lane.close);
  t.is(await exchange(lane), undefined);
  sockets[0].end();
  await once(sockets[0], 'close');
  t.is(await exchange(lane), undefined);
  t.is(sockets.length, 2);
});

test('a lane repeats a request when the server closes the idle connection at that moment', async (t) => {
  const { server, port, sockets } = await startServer(t);
  const lane = createHttpLane(port);
  t.teardown(lane.close);
  t.is(await exchange(lane), undefined);
  const answer = server.listeners('request')[0] as (...given: unknown[]) => void;
  server.removeAllListeners('request');
  server.once('request', ({ socket }) => {
    socket.resetAndDestroy();
    server.on('request', answer);
  });
  t.is(await exchange(lane), undefined);
  t.is(sockets.length, 2);
});

test('a lane fails when a new connection is closed without an answer', async (t) => {
  const { server, port } = await startServer(t);
  server.removeAllListeners('request');
  server.on('request', ({ socket }) => socket.resetAndDestroy());
  const lane = createHttpLane(port);
  t.teardown(lane.close);
  t.regex((await exchange(lane)) ?? '', /ECONNRESET|closed/);
});

test('no benchmark is rate limited: the deployments set no limit, and an address may have more connections', (t) => {
  for (const yaml of [deploymentYaml, searchDeployment])
    t.deepEqual(parseDeployment(yaml, 'bench.yaml').rateLimits, []);
  t.true(countOf(defaultLanes) < mostAtOnce.peer);
});
