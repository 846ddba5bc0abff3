import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createPeriodic, type PeriodicOptions } from '../../../src/ranking/runtime/periodic.ts';

/** The runs and log lines of a periodic work, in order. */
function watch(work: PeriodicOptions['work'], more: Partial<PeriodicOptions> = {}) {
  const said: string[] = [];
  const logger = {
    warn: (_: object, text: string) => void said.push(`warn ${text}`),
    info: (_: object, text: string) => void said.push(`info ${text}`),
  };
  const periodic = createPeriodic({
    ...{ work, pauseMs: 1, complaint: 'No.' },
    logger: logger as unknown as PeriodicOptions['logger'],
    ...more,
  });
  return { said, periodic };
}

/** AVA ends a test that waits too long. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

test('it runs again and again, once at a time, until it is stopped', async (t) => {
  let runs = 0;
  let under = 0;
  let most = 0;
  const { periodic } = watch(async () => {
    runs += 1;
    under += 1;
    most = Math.max(most, under);
    await delay(1);
    under -= 1;
  });
  periodic.start();
  await Promise.all([periodic.run(), periodic.run(), until(() => runs >= 6)]);
  await periodic.stop();
  const atStop = runs;
  await delay(10);
  t.is(runs, atStop);
  t.is(most, 1);
});

test('a failure is logged once, and so is the recovery', async (t) => {
  let runs = 0;
  const { periodic, said } = watch(async () => {
    runs += 1;
    if (runs <= 3) throw new Error('broken');
  });
  periodic.start();
  await until(() => runs >= 5);
  await periodic.stop();
  t.deepEqual(said, ['warn No.', 'info Recovered from: No.']);
});

test('only the result `again` repeats the work without a pause', async (t) => {
  let runs = 0;
  const { periodic } = watch(async () => ++runs > 0, { pauseMs: 3_600_000, firstPauseMs: 0 });
  periodic.start();
  await until(() => runs === 1);
  await delay(10);
  await periodic.stop();
  t.is(runs, 1);
});

test('more work follows at once, and wake ends a pause', async (t) => {
  let runs = 0;
  const { periodic } = watch(async () => (++runs < 5 ? 'again' : undefined), {
    pauseMs: 3_600_000,
    firstPauseMs: 0,
  });
  periodic.start();
  await until(() => runs === 5);
  periodic.wake();
  await until(() => runs === 6);
  await periodic.stop();
  t.is(runs, 6);
});

test('a stop ends the pause, aborts the current run, and runs once more if asked for', async (t) => {
  const done: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { periodic } = watch(
    async (signal) => {
      if (signal.aborted) return void done.push('last');
      begin();
      await delay(3_600_000, undefined, { signal }).catch(() => done.push('told'));
    },
    { firstPauseMs: 0, runsAtStop: true },
  );
  periodic.start();
  await begun;
  await periodic.stop();
  t.deepEqual(done, ['told', 'last']);
  const idle = watch(async () => void done.push('never'), { pauseMs: 3_600_000 });
  idle.periodic.start();
  await idle.periodic.stop();
  t.deepEqual(done, ['told', 'last']);
});
