import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createSingleFlight } from '../../../src/ranking/runtime/single-flight.ts';

/** Work with runs that the test ends. */
function createWork(options?: { failsFast: boolean }) {
  const runs: PromiseWithResolvers<void>[] = [];
  const share = createSingleFlight(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  }, options);
  return { runs, share };
}

test('callers during a run share the next one', async (t) => {
  const { runs, share } = createWork();
  const first = share();
  await nextTurn();
  const second = share();
  const third = share();
  t.is(second, third);
  await nextTurn();
  t.is(runs.length, 1, 'only one run at a time');
  runs[0].resolve();
  await first;
  await nextTurn();
  t.is(runs.length, 2);
  runs[1].resolve();
  await second;
});

test('a failure also fails the waiting callers if asked for, and later callers start a new run', async (t) => {
  const { runs, share } = createWork({ failsFast: true });
  const first = share();
  await nextTurn();
  const second = share();
  runs[0].reject(new Error('The database is silent.'));
  await t.throwsAsync(first, { message: 'The database is silent.' });
  await t.throwsAsync(second, { message: 'The database is silent.' });
  t.is(runs.length, 1, 'no other attempt');
  const third = share();
  await nextTurn();
  t.is(runs.length, 2);
  runs[1].resolve();
  await t.notThrowsAsync(third);
});

test('a failure does not fail the callers that wait for the next run', async (t) => {
  const { runs, share } = createWork();
  const first = share();
  await nextTurn();
  const second = share();
  runs[0].reject(new Error('Refused.'));
  await t.throwsAsync(first, { message: 'Refused.' });
  await nextTurn();
  runs[1].resolve();
  await t.notThrowsAsync(second);
});
