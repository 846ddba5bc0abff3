import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { shareRuns } from '../../src/events/share-runs.ts';

/** A work whose runs end when they are told to, in order. */
function createWork() {
  const runs: PromiseWithResolvers<void>[] = [];
  const share = shareRuns(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  return { runs, share };
}

test('whoever comes while a run is under way shares the next', async (t) => {
  const { runs, share } = createWork();
  const first = share();
  await nextTurn();
  const second = share();
  const third = share();
  t.is(second, third);
  await nextTurn();
  t.is(runs.length, 1, 'never two at once');
  runs[0].resolve();
  await first;
  await nextTurn();
  t.is(runs.length, 2);
  runs[1].resolve();
  await second;
});

test('whoever waits for the next run shares the failure of the one under way, and who comes later tries anew', async (t) => {
  const { runs, share } = createWork();
  const first = share();
  await nextTurn();
  const second = share();
  runs[0].reject(new Error('The database is silent.'));
  await t.throwsAsync(first, { message: 'The database is silent.' });
  await t.throwsAsync(second, { message: 'The database is silent.' });
  t.is(runs.length, 1, 'nobody tried again meanwhile');
  const third = share();
  await nextTurn();
  t.is(runs.length, 2);
  runs[1].resolve();
  await t.notThrowsAsync(third);
});
