/** The end of a call: the signal of its handler, and the limit of concurrent calls. */

import { once } from 'node:events';
import { request } from 'node:http';
import { Metadata } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import type { Call } from '../../src/handlers/chain/call.ts';
import { createRateLimits } from '../../src/security/rate-limits.ts';
import { beginWork, createCallLifetime, endAnswer, endWork } from '../../src/servers/call-lifetime.ts';
import { connectPath, itemPath, itemRequest, serveOperation } from './support/served-operation.ts';

type Ports = Awaited<ReturnType<typeof serveOperation>>;

/** Sends a request. Returns a function that cancels it. */
type Ask = (ports: Ports, options?: AskOptions) => () => void;

type AskOptions = { deadlineMs?: number; onAnswer?: () => void };

type HttpRequest = { path: string; headers?: Record<string, string>; body?: string; onAnswer?: () => void };

function askHttp(port: number, { path, headers, body, onAnswer = () => undefined }: HttpRequest): () => void {
  const sent = request({ port, path, method: body === undefined ? 'GET' : 'POST', headers, agent: false });
  sent.on('error', () => undefined).on('response', (response) => response.resume().on('end', onAnswer));
  sent.end(body);
  return () => sent.destroy();
}

const transports: Record<string, Ask> = {
  http: ({ httpPort }, { onAnswer } = {}) => askHttp(httpPort, { path: itemPath, onAnswer }),
  connect({ httpPort }, { deadlineMs, onAnswer } = {}) {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (deadlineMs !== undefined) headers['connect-timeout-ms'] = String(deadlineMs);
    return askHttp(httpPort, { path: connectPath, headers, body: '{}', onAnswer });
  },
  grpc({ grpcClient }, { deadlineMs, onAnswer = () => undefined } = {}) {
    const deadline = deadlineMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + deadlineMs;
    const call = grpcClient().getItem(itemRequest, new Metadata(), { deadline }, onAnswer);
    return () => call.cancel();
  },
};

/** A handler that runs until the test ends it. */
async function serveWork(t: ExecutionContext, mostAtOnce: number) {
  const limits = createRateLimits({
    settings: [{ clientIds: new Set(), operations: new Set(), burst: 1, atOnce: mostAtOnce }],
    elapsedMs: () => 0,
  });
  const state = { begun: [] as Call[], refused: 0, running: 0, mostRunning: 0 };
  const endings: (() => void)[] = [];
  const watchers = new Set<() => void>();
  const told = () => {
    for (const watcher of watchers) watcher();
  };
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const ports = await serveOperation(t, {
    async admit(call) {
      try {
        limits.take(call, { name: 'ItemService/GetItem', scope: 'items' });
      } catch (error) {
        state.refused += 1;
        told();
        throw error;
      }
    },
    async handle(call) {
      state.begun.push(call);
      state.running += 1;
      state.mostRunning = Math.max(state.mostRunning, state.running);
      told();
      await new Promise<void>((resolve) => endings.push(resolve));
      state.running -= 1;
      told();
      return {};
    },
  });
  const endWork = () => {
    for (const end of endings.splice(0)) end();
  };
  t.teardown(endWork);
  return { ports, state, until, endWork };
}

const aborted = (call: Call) =>
  call.signal!.aborted ? Promise.resolve() : once(call.signal!, 'abort').then(() => undefined);

for (const [name, ask] of Object.entries(transports)) {
  test(`${name}: the signal of a handler is aborted when its caller disconnects`, async (t) => {
    const { ports, state, until } = await serveWork(t, 10);
    const giveUp = ask(ports);
    await until(() => state.begun.length === 1);
    t.false(state.begun[0].signal!.aborted);
    giveUp();
    await aborted(state.begun[0]);
    t.is(state.running, 1);
  });

  test(`${name}: a caller that disconnects and reconnects has no more concurrent work than its limit`, async (t) => {
    const most = 3;
    const { ports, state, until, endWork } = await serveWork(t, most);
    const attempts = 12;
    for (let count = 1; count <= attempts; count++) {
      const giveUp = ask(ports);
      await until(() => state.begun.length + state.refused === count);
      giveUp();
      const last = state.begun.at(-1)!;
      await aborted(last);
    }
    t.is(state.mostRunning, most);
    t.is(state.refused, attempts - most);
    endWork();
    await until(() => state.running === 0);
    /** The slots are free again once the transports have seen the end of the work. */
    for (let isServed = false; !isServed; ) {
      const before = state.begun.length + state.refused;
      const giveUp = ask(ports);
      await until(() => state.begun.length + state.refused > before);
      isServed = state.begun.length > most;
      giveUp();
    }
    t.is(state.mostRunning, most);
  });
}

for (const name of ['connect', 'grpc']) {
  test(`${name}: the signal of a handler is aborted at its caller's deadline`, async (t) => {
    const { ports, state, until } = await serveWork(t, 10);
    /** On a busy machine a deadline may pass before the call arrives. */
    for (let deadlineMs = 100; state.begun.length === 0; deadlineMs *= 2)
      await Promise.race([
        until(() => state.begun.length > 0),
        new Promise<void>((onAnswer) => transports[name](ports, { deadlineMs, onAnswer })),
      ]);
    await aborted(state.begun[0]);
    t.is(state.running, state.begun.length);
  });
}

test('a call holds its slot until the work and the answer have ended', (t) => {
  let released = 0;
  const create = () => {
    released = 0;
    const lifetime = createCallLifetime();
    const leave = () => {
      released += 1;
    };
    lifetime.call = { transport: 'http', requestId: 'r', peer: 'p', leave };
    return lifetime;
  };
  const gone = create();
  t.true(beginWork(gone));
  endAnswer(gone);
  t.is(released, 0);
  t.true(gone.controller.signal.aborted);
  endWork(gone);
  endAnswer(gone);
  t.is(released, 1);
  t.false(beginWork(gone), 'a call that is over begins no work');

  const read = create();
  t.true(beginWork(read));
  endWork(read);
  t.is(released, 0);
  endAnswer(read);
  t.is(released, 1);
  t.false(read.controller.signal.aborted, 'an answer that was taken aborts nothing');
});
