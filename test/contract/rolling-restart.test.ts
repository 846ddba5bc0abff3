/**
 * Nodes are restarted one after the other while callers continue over persistent HTTP connections,
 * Connect and gRPC: no call fails. Like a load balancer, callers check whether a node is ready, and
 * use another one if it is not.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { credentials, Metadata } from '@grpc/grpc-js';
import test from 'ava';
import { EventSchema, EventType } from '../../gen/es/personalisation/v1/event_pb.js';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { EventType as GrpcEventType } from '../../gen/grpc/personalisation/v1/event.ts';
import { CreateEventsRequest, EventServiceClient } from '../../gen/grpc/personalisation/v1/event_service.ts';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';

const environment = 'shop';
const deployment = `environments: [ { name: ${environment}, item_types: [ { name: article } ], timeout_ms: 60000 } ]`;

/** Far more than the time between a readiness check and the call. */
const drainSeconds = 4;

/** Pause between calls of a driver: many per restart, without loading the processors. */
const paceMs = 100;

type Call = () => Promise<unknown>;

const visit = { event_type: 'page_visit', page_type: 'home', device_id: 'd' };

/** A way to store an event at a node that has just started, over persistent connections. */
const transports: Record<string, (node: ServedProcess) => Call> = {
  http(node) {
    const client = createJsonClient({ baseUrl: node.baseUrl, authorization: node.authorization });
    return async () => {
      const { status } = await client.post(`/${environment}/events`, { events: [visit] });
      if (status !== 200) throw new Error(`HTTP ${status}`);
    };
  },
  connect(node) {
    const { origin } = new URL(node.baseUrl);
    const client = createClient(
      EventService,
      createConnectTransport({ baseUrl: origin, httpVersion: '1.1' }),
    );
    const headers = { authorization: node.authorization };
    const event = { eventType: EventType.PAGE_VISIT, pageType: 'home', deviceId: 'd' };
    const request = { environment, batch: { events: [create(EventSchema, event)] } };
    return () => client.createEvents(request, { headers });
  },
  grpc(node) {
    const client = new EventServiceClient(node.grpcAddress, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('authorization', node.authorization);
    const events = [{ ...visit, event_type: GrpcEventType.EVENT_TYPE_PAGE_VISIT }];
    const request = CreateEventsRequest.fromPartial({ environment, batch: { events } });
    return () =>
      new Promise((resolve, reject) => {
        client.createEvents(request, metadata, (error, answer) => (error ? reject(error) : resolve(answer)));
      });
  },
};

const isReady = async ({ baseUrl }: ServedProcess): Promise<boolean> => {
  const answer = await fetch(new URL('/readyz', baseUrl)).catch(() => undefined);
  return answer?.status === 200;
};

type Balanced = { node: ServedProcess; calls: Record<string, Call> };

const balanced = (node: ServedProcess): Balanced => ({
  node,
  calls: Object.fromEntries(Object.entries(transports).map(([name, connect]) => [name, connect(node)])),
});

test('restarting nodes one after the other fails no call', async (t) => {
  const db = await createTestDatabase(t);
  const databaseUrl = addressOf(db.connection);
  const options = { deployment, databaseUrl, drainSeconds };
  const first = await startServedProcess(options);
  t.teardown(first.remove);
  const second = await startServedProcess({ ...options, authorization: first.authorization });
  t.teardown(second.remove);
  const places = [balanced(first), balanced(second)];

  let isOver = false;
  const stored: Record<string, number> = { http: 0, connect: 0, grpc: 0 };
  const failures: string[] = [];
  t.teardown(() => {
    isOver = true;
  });
  const drive = async (transport: string, start: number) => {
    for (let round = start; !isOver; round++) {
      await delay(paceMs);
      const { node, calls } = places[round % places.length];
      const checkedMs = performance.now();
      if (!(await isReady(node))) continue;
      await Promise.resolve()
        .then(calls[transport])
        .then(
          () => (stored[transport] += 1),
          (error) => {
            /** A busy machine may delay a call until the node has stopped. */
            const isLate = performance.now() - checkedMs > 1_000 * drainSeconds;
            if (!isLate) failures.push(`${transport}: ${error}`);
          },
        );
    }
  };
  const drivers = Object.keys(transports).flatMap((name) => [drive(name, 0), drive(name, 1)]);
  for (const [place, { node }] of places.entries()) {
    const before = { ...stored };
    t.is(await node.stop(), 0);
    /** The other node is called meanwhile. */
    for (const name of Object.keys(stored))
      while (stored[name] === before[name] && failures.length === 0) await delay(paceMs);
    await node.restart();
    places[place] = balanced(node);
  }
  isOver = true;
  await Promise.all(drivers);
  t.deepEqual(failures, []);
  const { rows } = await db.pool.query('select count(*) as count from events');
  t.is(
    Number(rows[0].count),
    Object.values(stored).reduce((sum, count) => sum + count, 0),
  );
});
