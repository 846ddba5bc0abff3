import test from 'ava';
import { createGate } from '../../../src/security/limits/gate.ts';
import { outcomeOf } from '../support/reasons.ts';

/** Work that lasts until it is finished by the test. */
function createWork() {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { work, started: () => ends.length, endAll };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('tasks run within the limit and wait in order', async (t) => {
  const gate = createGate({ concurrency: 2, mostWaiting: 10 });
  const { work, started, endAll } = createWork();
  const all = Promise.all([1, 2, 3, 4, 5].map(() => gate.run(work)));
  for (const running of [2, 2, 1]) {
    await settled();
    t.is(started(), running);
    endAll();
  }
  await all;
});

test('tasks beyond the queue get RATE_LIMITED', async (t) => {
  const gate = createGate({ concurrency: 1, mostWaiting: 1 });
  const { work, endAll } = createWork();
  const [running, waiting] = [gate.run(work), gate.run(work)];
  t.is(await outcomeOf(() => gate.run(work)), 'RATE_LIMITED');
  endAll();
  await running;
  await settled();
  endAll();
  await waiting;
});

test('failed work frees its place', async (t) => {
  const gate = createGate({ concurrency: 1, mostWaiting: 0 });
  await t.throwsAsync(gate.run(() => Promise.reject(new Error('failed'))));
  t.is(await gate.run(async () => 'done'), 'done');
});
