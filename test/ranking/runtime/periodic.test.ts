import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createPeriodic, type PeriodicOptions } from '../../../src/ranking/runtime/periodic.ts';

/** What was done and said of a periodic work, in order. */
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

/** AVA ends a test that waits for ever. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

test('it runs again and again, never beside itself, until it is stopped', async (t) => {
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

test('a failure is told once, and that it goes on', async (t) => {
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

test('only who asks for it runs again without a pause, whatever a statement tells', async (t) => {
  let runs = 0;
  const { periodic } = watch(async () => ++runs > 0, { pauseMs: 3_600_000, firstPauseMs: 0 });
  periodic.start();
  await until(() => runs === 1);
  await delay(10);
  await periodic.stop();
  t.is(runs, 1);
});

test('more work follows at once, and who is woken does not wait', async (t) => {
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

test('a stop ends the pause, tells the run under way, and writes what is held back', async (t) => {
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
