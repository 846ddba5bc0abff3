/** The gRPC port with TLS, and clients without it. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { create, getOption } from '@bufbuild/protobuf';
import { credentials, Metadata } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { operation as operationOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { GetItemResponseSchema, ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { ItemServiceClient } from '../../../gen/grpc/personalisation/v1/item_service.ts';
import type { Operation } from '../../../src/handlers/chain/operation.ts';
import { createFailureLog } from '../../../src/servers/failure-log.ts';
import { createGrpcServer } from '../../../src/servers/grpc/grpc.ts';
import { createPeers } from '../../../src/servers/peer-address.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { makeCertificate, sourceOf } from '../../support/certificate.ts';
import { anyUnread } from '../support/served-operation.ts';

const tls = makeCertificate();
const peers = createPeers([]);
const method = ItemService.method.getItem;

const operation: Operation = {
  name: `${ItemService.typeName}/${method.name}`,
  method,
  options: getOption(method, operationOption),
  admit: async () => undefined,
  enter: () => undefined,
  kind: 'unary',
  handle: async () => create(GetItemResponseSchema),
};

async function start(t: ExecutionContext, source = sourceOf(tls)) {
  const server = createGrpcServer({
    operations: new Map([[operation.name, operation]]),
    newRequestId: randomUUID,
    peers,
    connections: { perPeer: 100, peers, keyOf: (address) => address },
    messageTimeoutMs: 60_000,
    resets: { take: () => true },
    answerBytes: 4_000_000,
    unread: anyUnread(),
    logFailure: createFailureLog(createLogger('silent')),
    tls: source,
  });
  const port = await server.listen(0);
  const connectTo = ({ certificate } = tls) => {
    const client = new ItemServiceClient(`localhost:${port}`, credentials.createSsl(certificate));
    t.teardown(() => client.close());
    return client;
  };
  return { server, port, client: connectTo(), connectTo };
}

const ask = (client: ItemServiceClient) =>
  new Promise((resolve, reject) =>
    client.getItem({ environment: 'e', item_type: 't', item_id: 'i' }, new Metadata(), (error, value) =>
      error ? reject(error) : resolve(value),
    ),
  );

/** Resolves even after a reset. */
const closeOf = (socket: Socket) => new Promise((resolve) => socket.resume().once('close', resolve));

test('connections without a TLS handshake do not delay the stop', async (t) => {
  const { server, port, client } = await start(t);
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  t.truthy(await ask(client));
  const closed = closeOf(socket);
  await server.close(50);
  await closed;
});

test('new connections use the renewed certificate, and open ones continue', async (t) => {
  const source = sourceOf(tls);
  const { server, client, connectTo } = await start(t, source);
  t.truthy(await ask(client));
  const renewed = makeCertificate();
  source.renew(renewed);
  t.truthy(await ask(client));
  t.truthy(await ask(connectTo(renewed)));
  await server.close(50);
});
