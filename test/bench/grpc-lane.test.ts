/** The benchmark's gRPC lanes against a grpc-js server. */

import { setTimeout as delay } from 'node:timers/promises';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { createGrpcLanes } from './grpc-lane.ts';
import type { Lane } from './load.ts';

const path = '/test.Service/Call';
const pass = (bytes: Buffer) => bytes;

const exchange = (lane: Lane<Buffer>, request: Buffer) =>
  new Promise<string | undefined>((done) => lane.exchange(request, done));

/** Answers a call with the number of bytes in the request, or refuses it. */
async function startServer(t: ExecutionContext): Promise<{ server: Server; port: number; asked: string[] }> {
  const server = new Server();
  const asked: string[] = [];
  const definition = { path, requestStream: false, responseStream: false } as const;
  const codec = {
    requestSerialize: pass,
    requestDeserialize: pass,
    responseSerialize: pass,
    responseDeserialize: pass,
  };
  server.addService(
    { call: { ...definition, ...codec } },
    {
      async call({ request }: { request: Buffer }, answer: (error: object | null, bytes?: Buffer) => void) {
        const text = request.toString();
        asked.push(text);
        if (text === 'refuse') return answer({ code: status.INVALID_ARGUMENT, details: 'refused' });
        await delay(Number(text) % 5);
        answer(null, Buffer.alloc(Number(text)));
      },
    },
  );
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? fail(error) : done(bound),
    ),
  );
  t.teardown(() => server.forceShutdown());
  return { server, port, asked };
}

test('concurrent calls over shared connections are each answered once, of any size', async (t) => {
  const { port, asked } = await startServer(t);
  const lanes = createGrpcLanes(port, path, 40);
  const sizes = lanes.map((_, lane) => String(1 + lane * 1_001));
  t.deepEqual(
    await Promise.all(lanes.map((lane, i) => exchange(lane, Buffer.from(sizes[i])))),
    lanes.map(() => undefined),
  );
  t.deepEqual([...asked].sort(), [...sizes].sort());
  t.is(await exchange(lanes[0], Buffer.from('7')), undefined);
  for (const lane of lanes) lane.close();
});

test('a connection carries more than its first window', async (t) => {
  const { port, asked } = await startServer(t);
  const [lane] = createGrpcLanes(port, path, 1);
  const request = Buffer.from('20000'.padStart(1_000, '0'));
  for (let turn = 0; turn < 100; turn++) t.is(await exchange(lane, request), undefined);
  t.is(asked.length, 100);
  lane.close();
});

test('a refused call and a lost connection are failures', async (t) => {
  const { server, port } = await startServer(t);
  const [lane] = createGrpcLanes(port, path, 1);
  t.is(await exchange(lane, Buffer.from('refuse')), 'The answer has no message.');
  t.is(await exchange(lane, Buffer.from('1')), undefined);
  server.forceShutdown();
  t.regex((await exchange(lane, Buffer.from('1'))) ?? '', /goes away|closed|ECONN|reset/);
});

test('an empty message is a message', async (t) => {
  const { port } = await startServer(t);
  const [lane] = createGrpcLanes(port, path, 1);
  t.is(await exchange(lane, Buffer.from('0')), undefined);
  lane.close();
});
