import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createTurns } from '../../../src/ranking/runtime/slices.ts';

/** Turns on a clock that advances only during work. */
function createWorld() {
  let nowMs = 0;
  const order: string[] = [];
  const turns = createTurns(() => nowMs);
  const run = (
    name: string,
    durationMs: number,
    job: { flow?: string; cost?: number; signal?: AbortSignal } = {},
  ) =>
    turns.run({ flow: name, cost: durationMs, ...job }, async () => {
      nowMs += durationMs;
      order.push(name);
      return name;
    });
  return { order, run };
}

test('work starts at once while the turn has time', async (t) => {
  const { order, run } = createWorld();
  const done = [run('a', 1), run('b', 1)];
  t.deepEqual(order, ['a', 'b']);
  t.deepEqual(await Promise.all(done), ['a', 'b']);
});

test('work after a long job waits for the next turn', async (t) => {
  const { order, run } = createWorld();
  const long = run('long', 100);
  const next = run('next', 1);
  t.deepEqual(order, ['long']);
  await Promise.all([long, next]);
  t.deepEqual(order, ['long', 'next']);
});

test('a caller that arrives during the backlog of another comes next', async (t) => {
  const { order, run } = createWorld();
  const backlog = Array.from({ length: 20 }, () => run('attacker', 10));
  await nextTurn();
  const visitor = run('visitor', 1);
  await visitor;
  t.true(order.length < 6, `${order}`);
  await Promise.all(backlog);
  t.is(order.length, 21);
});

test('failing work rejects, and other work continues', async (t) => {
  const { run } = createWorld();
  const turns = createTurns(() => 0);
  const blocked = run('long', 100);
  const fails = turns.run({ flow: 'x', cost: 1 }, async () => {
    throw new Error('It failed.');
  });
  await t.throwsAsync(fails, { message: 'It failed.' });
  t.is(await run('next', 1), 'next');
  await blocked;
});

test('waiting work does not start after its caller has left', async (t) => {
  const { order, run } = createWorld();
  const long = run('long', 100);
  const caller = new AbortController();
  const left = run('left', 1, { signal: caller.signal });
  caller.abort(new Error('The caller has left.'));
  await t.throwsAsync(left, { message: 'The caller has left.' });
  t.is(await run('next', 1), 'next');
  await long;
  t.deepEqual(order, ['long', 'next']);
});

test('a caller with much work under way starts no more while the thread is busy', async (t) => {
  let nowMs = 0;
  const turns = createTurns(() => nowMs);
  const endings: (() => void)[] = [];
  let startedCount = 0;
  const start = (flow: string) =>
    turns.run({ flow, cost: 1 }, async () => {
      startedCount += 1;
      await new Promise<void>((resolve) => endings.push(resolve));
      return flow;
    });
  const atOnce = Array.from({ length: 20 }, () => start('attacker'));
  t.is(startedCount, 20, 'the thread keeps up');
  nowMs += 100;
  const waiting = Array.from({ length: 20 }, () => start('attacker'));
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  t.is(startedCount, 20);
  const visitor = start('visitor');
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  t.is(startedCount, 21);
  while (startedCount < 41) {
    for (const end of endings.splice(0)) end();
    await nextTurn();
  }
  for (const end of endings.splice(0)) end();
  await Promise.all([...atOnce, ...waiting, visitor]);
});

test('work that waited runs in the context of its caller', async (t) => {
  const storage = new AsyncLocalStorage<string>();
  let busy = false;
  const turns = createTurns(() => (busy ? 10 : 0));
  const first = turns.run({ flow: 'a', cost: 1 }, async () => {
    busy = true;
  });
  const second = storage.run('second', () =>
    turns.run({ flow: 'b', cost: 1 }, async () => storage.getStore()),
  );
  setImmediate(() => {
    busy = false;
  });
  t.is(await second, 'second');
  await first;
});
