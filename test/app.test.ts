/** A node stops in time despite open work. */

import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, Metadata } from '@grpc/grpc-js';
import test from 'ava';
import { ItemServiceClient } from '../gen/grpc/personalisation/v1/item_service.ts';
import { startApp } from '../src/app.ts';
import { createLogger } from '../src/servers/telemetry/logger.ts';
import { createTestDatabase } from './support/database.ts';
import { relayTo } from './support/relay.ts';
import { readDeployment, requestToken, shopDeployment } from './support/service.ts';

/** Far below the node's own time limit of a statement. */
const stopMs = 500;

test('a node stops despite open calls, streams, connections and statements, and reports them', async (t) => {
  const database = await createTestDatabase();
  const { relay, connection } = await relayTo(database.connection);
  const dataDir = await mkdtemp(join(tmpdir(), 'personalisation-app-'));
  const warnings: string[] = [];
  const warn = (_facts: object, text: string) => void warnings.push(text);
  const app = await startApp({
    deployment: readDeployment(shopDeployment),
    connection,
    dataDir,
    port: 0,
    grpcPort: 0,
    trainingThreads: 0,
    clock: Date.now,
    logger: Object.assign(Object.create(createLogger('silent')), { warn }),
    stopMs,
  });
  t.teardown(async () => {
    relay.goOn();
    await database.close();
    relay.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const baseUrl = `http://localhost:${app.port}/api`;
  const admin = JSON.parse(await readFile(join(dataDir, 'admin-credentials.json'), 'utf8'));
  const token = await requestToken(baseUrl, { clientId: admin.client_id, clientSecret: admin.client_secret });
  const authorization = `Bearer ${token}`;

  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  const client = new ItemServiceClient(`localhost:${app.grpcPort}`, credentials.createInsecure());
  const stream = client.importItems(metadata);
  stream.on('data', () => undefined);
  const streamEnd = new Promise((resolve) => stream.once('error', resolve));
  stream.write({ environment: 'shop', items: [] });
  await once(stream, 'metadata').catch(() => undefined);

  const sockets = [app.port, app.grpcPort].map((port) => connect(port, 'localhost'));
  const closed = sockets.map((socket) => {
    socket.on('error', () => undefined).resume();
    return new Promise((resolve) => socket.once('close', resolve));
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  sockets[0].write('POST /api/shop/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');

  relay.hold();
  const call = fetch(`${baseUrl}/shop/items/product/a`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'A' }),
  }).then(
    ({ status }) => String(status),
    () => 'cut off',
  );
  await app.stop();
  t.is(await call, 'cut off');
  await streamEnd;
  await Promise.all(closed);
  t.true(warnings.includes('A part of the node did not stop in time.'), warnings.join('\n'));
  client.close();
});
