import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { DomainError } from '../../../src/errors.ts';
import { createWorkerPool } from '../../../src/ranking/runtime/workers.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import type { ToyTask } from './support/toy-worker.ts';

const address = new URL('./support/toy-worker.ts', import.meta.url);

/** `here` answers -1, so that a test sees which thread did a task. */
function createToyPool(t: ExecutionContext, count: number, workerData?: string) {
  const workers: Worker[] = [];
  const pool = createWorkerPool<ToyTask, number, number, undefined>({
    name: 'toys',
    count,
    createWorker() {
      const worker = new Worker(address, { workerData });
      workers.push(worker);
      return worker;
    },
    onStart: () => undefined,
    logger: createLogger('silent'),
    retryMs: 1,
  });
  t.teardown(pool.stop);
  const run = (
    task: ToyTask,
    waiting: { signal?: AbortSignal; isShort?: boolean; flow?: string; cost?: number } = {},
  ) => pool.run({ taskFor: () => task, here: () => -1, ...waiting });
  const ready = async (wanted = count) => {
    while (pool.readyCount < wanted) await nextTurn();
  };
  return { pool, workers, run, ready };
}

/** Short tasks per worker, and the same while this thread does a task itself; see workers.ts. */
const given = 2;
const givenMeanwhile = 10;

/** A task that occupies its thread until it is released. */
function createBrake() {
  const wait = new SharedArrayBuffer(4);
  return {
    task: { wait },
    release() {
      Atomics.store(new Int32Array(wait), 0, 1);
      Atomics.notify(new Int32Array(wait), 0);
    },
  };
}

/** A pool with all workers full of short tasks, which wait for the brake. */
async function startBusyPool(t: ExecutionContext, count: number) {
  const { pool, run, ready } = createToyPool(t, count);
  pool.start();
  await ready();
  const brake = createBrake();
  const held = Array.from({ length: count * given }, () => run(brake.task, { isShort: true }));
  return { run, brake, held };
}

test('an update applies to the tasks sent after it and not to those before', async (t) => {
  const { pool, run, ready } = createToyPool(t, 2);
  pool.start();
  await ready();
  const answers: Promise<number>[] = [];
  for (let update = 1; update <= 50; update++) {
    pool.broadcast(update);
    answers.push(run({ add: 1_000 * update }));
  }
  const found = await Promise.all(answers);
  for (const [place, answer] of found.entries()) t.true(answer % 1_000 >= place + 1, `${answer}`);
  t.is(await run({ add: 0 }), 50);
});

test('an error keeps its reason, metadata and violations across threads', async (t) => {
  const { pool, run, ready } = createToyPool(t, 1);
  pool.start();
  await ready();
  const error = await t.throwsAsync(run({ fail: true }), { instanceOf: DomainError });
  t.like(error, { reason: 'VARIABLE_MISSING', message: 'A variable is missing.' });
  t.deepEqual(error?.metadata, { variable: 'brand' });
  t.deepEqual(error?.violations, [{ pointer: '/brand', detail: 'It is missing.' }]);
});

test('without workers, tasks run on this thread', async (t) => {
  const { pool, run } = createToyPool(t, 1);
  t.is(await run({ add: 1 }), -1);
  t.is(pool.fault, undefined);
});

test('another worker answers the tasks of a killed one, which is replaced', async (t) => {
  const { pool, workers, run, ready } = createToyPool(t, 2);
  pool.start();
  await ready();
  const brakes = [createBrake(), createBrake()];
  const held = brakes.map(({ task }) => run(task));
  const waiting = Array.from({ length: 20 }, () => run({ add: 7 }));
  await nextTurn();
  await workers[0].terminate();
  for (const { release } of brakes) release();
  t.deepEqual(await Promise.all(held), [0, 0]);
  t.deepEqual(new Set(await Promise.all(waiting)), new Set([7]));
  await ready();
  t.is(workers.length, 3);
  t.is(pool.fault, undefined);
});

test('a task that ends two workers fails, and other tasks are answered', async (t) => {
  const { pool, run, ready } = createToyPool(t, 2);
  pool.start();
  await ready();
  await t.throwsAsync(run({ die: true }), { message: /crashed the threads/ });
  await ready();
  t.is(await run({ add: 3 }), 3);
});

test('a pool without a ready worker reports it and works on this thread', async (t) => {
  const { pool, workers, run } = createToyPool(t, 1, 'never comes up');
  pool.start();
  while (workers.length < 3) await nextTurn();
  t.is(await run({ add: 1 }), -1);
  t.regex(pool.fault!, /cannot be used/);
});

test('a pool that cannot start workers works on this thread', async (t) => {
  let attempts = 0;
  const pool = createWorkerPool<ToyTask, number, number, undefined>({
    name: 'toys',
    count: 1,
    createWorker() {
      attempts += 1;
      throw new Error('No thread can be had.');
    },
    onStart: () => undefined,
    logger: createLogger('silent'),
    retryMs: 1,
  });
  t.teardown(pool.stop);
  pool.start();
  while (attempts < 3) await delay(1);
  t.is(await pool.run({ taskFor: () => ({ add: 1 }), here: () => -1 }), -1);
  t.is(pool.fault, 'No thread can be had.');
});

test('a cancelled task that waits is not begun', async (t) => {
  const { run, brake, held } = await startBusyPool(t, 1);
  const caller = new AbortController();
  const cancelled = run({ add: 1 }, { signal: caller.signal });
  const patient = run({ add: 3 });
  caller.abort(new Error('The caller has left.'));
  brake.release();
  await t.throwsAsync(cancelled, { message: 'The caller has left.' });
  t.is(await patient, 3);
  await Promise.all(held);
});

test('a cancelled task under way ends early, and its worker takes the next one', async (t) => {
  const { pool, run, ready } = createToyPool(t, 1);
  pool.start();
  await ready();
  const caller = new AbortController();
  const endless = run({ untilCancelled: true }, { signal: caller.signal });
  const next = run({ add: 5 });
  caller.abort(new Error('The caller has left.'));
  await t.throwsAsync(endless, { message: 'The caller has left.' });
  t.is(await next, 5);
  await t.throwsAsync(run({ add: 1 }, { signal: caller.signal }), { message: 'The caller has left.' });
});

test('a caller with many costly tasks does not delay the task of another', async (t) => {
  const { pool, run, ready } = createToyPool(t, 1);
  pool.start();
  await ready();
  const brake = createBrake();
  const order: string[] = [];
  const ask = (flow: string, cost: number) =>
    run({ add: 1 }, { flow, cost }).then(() => void order.push(flow));
  const held = run(brake.task);
  const costly = Array.from({ length: 20 }, () => ask('attacker', 5_000));
  const visitor = ask('visitor', 10);
  brake.release();
  await Promise.all([held, visitor, ...costly]);
  t.is(order.indexOf('visitor'), 0);
});

test('while all workers are busy, short tasks run on this thread in their order', async (t) => {
  const { run, brake, held } = await startBusyPool(t, 2);
  const order: string[] = [];
  const ask = (name: string, isShort: boolean) =>
    run({ add: 1 }, { isShort }).then((answer) => void order.push(`${name} ${answer}`));
  const first = ask('first', true);
  /** Fills the workers to their limit while the first task runs here. */
  const ahead = Array.from({ length: 2 * (givenMeanwhile - given) }, () => ask('ahead', true));
  const second = ask('second', true);
  const long = ask('long', false);
  const behind = ask('behind', true);
  await Promise.all([first, second]);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  t.deepEqual(order, ['first -1', 'second -1']);
  brake.release();
  await Promise.all([...held, ...ahead, long, behind]);
  t.true(order.includes('long 1'));
  t.is(order.filter((one) => one === 'ahead 1').length, ahead.length);
});

test('a cancelled short task does not run on this thread, nor does a long one behind it', async (t) => {
  const { run, brake, held } = await startBusyPool(t, 1);
  const caller = new AbortController();
  const cancelled = run({ add: 1 }, { isShort: true, signal: caller.signal });
  const long = run({ add: 2 });
  caller.abort(new Error('The caller has left.'));
  await t.throwsAsync(cancelled, { message: 'The caller has left.' });
  brake.release();
  t.is(await long, 2);
  await Promise.all(held);
});

test('a task that ends workers never runs on this thread, and the tasks behind it are answered', async (t) => {
  const { pool, run, ready } = createToyPool(t, 2);
  pool.start();
  await ready();
  const brake = createBrake();
  const fatal = run({ die: true }, { isShort: true });
  const held = Array.from({ length: 2 * given - 1 }, () => run(brake.task, { isShort: true }));
  const behind = Array.from({ length: 3 }, () => run({ add: 4 }));
  await t.throwsAsync(fatal, { message: /crashed the threads/ });
  brake.release();
  /** The task that shared a worker with the fatal one may run here. */
  for (const answer of await Promise.all(held)) t.true(answer === 0 || answer === -1);
  t.deepEqual(await Promise.all(behind), [4, 4, 4]);
});

test('a task that cannot run on this thread waits for a worker, and fails when the pool stops', async (t) => {
  const { pool } = createToyPool(t, 1);
  pool.start();
  const answers = await Promise.all([1, 2, 3].map((later) => pool.run({ taskFor: () => ({ later }) })));
  t.deepEqual(answers, [1, 2, 3]);
  const brake = createBrake();
  const last = pool.run({ taskFor: () => brake.task });
  const failure = t.throwsAsync(last, { message: 'The service is stopping.' });
  await pool.stop();
  await failure;
});
