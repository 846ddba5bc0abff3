/** Flow control of bulk streams: neither side is flooded by the other. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { create, getOption } from '@bufbuild/protobuf';
import { Metadata, status } from '@grpc/grpc-js';
import test from 'ava';
import { operation as operationOption } from '../../gen/es/personalisation/rest/v1/options_pb.js';
import {
  ExportItemsResponseSchema,
  ImportItemsResponseSchema,
  ItemService,
} from '../../gen/es/personalisation/v1/item_service_pb.js';
import type { Operation, StreamHandler } from '../../src/handlers/chain/operation.ts';
import { createFailureLog } from '../../src/servers/failure-log.ts';
import { createGrpcServer } from '../../src/servers/grpc/grpc.ts';
import { createPeers } from '../../src/servers/peer-address.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { anyUnread } from '../servers/support/served-operation.ts';
import { createStreamClients, exchangeAll } from '../support/rpc-streams.ts';

/** A gRPC port with one stream of items on it. */
async function serveStream(
  method: 'importItems' | 'exportItems',
  handle: StreamHandler,
  messageTimeoutMs = 60_000,
) {
  const descriptor = ItemService.method[method];
  const name = `${ItemService.typeName}/${descriptor.name}`;
  const operation: Operation = {
    name,
    method: descriptor,
    options: getOption(descriptor, operationOption),
    admit: async () => undefined,
    enter: () => undefined,
    kind: 'stream',
    handle,
  };
  const operations = new Map([[name, operation]]);
  const peers = createPeers([]);
  const server = createGrpcServer({
    operations,
    newRequestId: randomUUID,
    peers,
    connections: { perPeer: 100, peers, keyOf: (address) => address },
    messageTimeoutMs,
    resets: { take: () => true },
    answerBytes: 4_000_000,
    unread: anyUnread(),
    logFailure: createFailureLog(createLogger('silent')),
  });
  const clients = createStreamClients({
    grpcAddress: `localhost:${await server.listen(0)}`,
    authorization: '',
  });
  const stop = async () => {
    clients.close();
    await server.close(100);
  };
  return { clients, stop };
}

const batchCount = 400;
const heavy = 'x'.repeat(100_000);
/** Maximum bytes in HTTP/2 windows and buffers between two ends that do not read. */
const mostOnTheWay = 100;

/** Resolves with the value after it grew and then stayed the same for half a second. */
async function settled(read: () => number): Promise<number> {
  let value = read();
  for (let quiet = 0; quiet < 10 || value === 0; quiet++) {
    await delay(50);
    if (read() !== value) quiet = 0;
    value = read();
  }
  return value;
}

test('an export waits for a caller that does not read, and ends when the caller leaves', async (t) => {
  let yielded = 0;
  let ended = false;
  const { clients, stop } = await serveStream('exportItems', async function* () {
    try {
      for (; yielded < batchCount; yielded++)
        yield create(ExportItemsResponseSchema, { items: [{ json: heavy, enabled: true }] });
    } finally {
      ended = true;
    }
  });
  const stream = clients.items.exportItems({ environment: 'e', item_types: [] }, new Metadata());
  stream.on('error', () => undefined);
  stream.once('data', () => stream.pause());
  const waiting = await settled(() => yielded);
  t.true(waiting < mostOnTheWay, `${waiting} batches`);
  stream.cancel();
  while (!ended) await delay(10);
  t.true(yielded < mostOnTheWay);
  await stop();
});

test('an import reads no more than it processes', async (t) => {
  let taken = 0;
  const gate = Promise.withResolvers<void>();
  const { clients, stop } = await serveStream('importItems', async function* (requests) {
    for await (const _ of requests) {
      taken++;
      await gate.promise;
      yield create(ImportItemsResponseSchema, { acceptedCount: 1 });
    }
  });
  let sent = 0;
  const requests = function* () {
    for (; sent < batchCount; sent++) yield { environment: 'e', items: [{ line: 1, json: heavy }] };
  };
  const answers = exchangeAll(clients.items.importItems(), requests());
  const waiting = await settled(() => sent);
  t.true(waiting < mostOnTheWay, `${waiting} batches`);
  while (taken === 0) await delay(10);
  t.is(taken, 1);
  gate.resolve();
  t.is((await answers).length, batchCount);
  await stop();
});

test('a caller that sends no message in time gets an error, and its call ends', async (t) => {
  const handle: StreamHandler = async function* (requests) {
    for await (const _ of requests) yield create(ImportItemsResponseSchema);
  };
  const { clients, stop } = await serveStream('importItems', handle, 1);
  t.teardown(stop);
  const silent = clients.items.importItems(clients.metadata);
  const error = await t.throwsAsync(async () => {
    for await (const _ of silent);
  });
  t.is((error as unknown as { code: number }).code, status.DEADLINE_EXCEEDED);
});
