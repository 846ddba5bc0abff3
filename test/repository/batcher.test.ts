import test from 'ava';
import { DomainError } from '../../src/errors.ts';
import { createBatcher } from '../../src/repository/batcher.ts';

const limits = { maxBatch: 100, maxQueued: 1_000 };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A run that records its batches and ends when the test says so. */
function createRecorder() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const run = async (batch: string[]) => {
    batches.push(batch);
    await new Promise<void>((resolve) => ends.push(resolve));
    return batch.map((input) => input.toUpperCase());
  };
  return { batches, ends, run };
}

test('a single call starts in its turn; calls during a run form the next batch', async (t) => {
  const { batches, ends, run } = createRecorder();
  const call = createBatcher({ run, ...limits });
  const first = call('a');
  await nextTurn();
  t.deepEqual(batches, [['a']]);
  const others = [call('b'), call('c')];
  await nextTurn();
  t.is(batches.length, 1);
  ends[0]();
  t.is(await first, 'A');
  await nextTurn();
  t.deepEqual(batches, [['a'], ['b', 'c']]);
  ends[1]();
  t.deepEqual(await Promise.all(others), ['B', 'C']);
});

test('calls of one turn share a run', async (t) => {
  const { batches, ends, run } = createRecorder();
  const call = createBatcher({ run, ...limits });
  const calls = ['a', 'b'].map((input) => call(input));
  await nextTurn();
  t.deepEqual(batches, [['a', 'b']]);
  ends[0]();
  t.deepEqual(await Promise.all(calls), ['A', 'B']);
});

test('paced runs include the calls that arrive meanwhile, also beside a running one', async (t) => {
  const { batches, ends, run } = createRecorder();
  let paceMs = 600_000;
  const call = createBatcher({ run, ...limits, concurrency: 2, paceMs: () => paceMs });
  const calls = [call('a')];
  await nextTurn();
  t.deepEqual(batches, [['a']]);
  calls.push(call('b'));
  await nextTurn();
  t.deepEqual(batches, [['a']]);
  paceMs = 0;
  calls.push(call('c'));
  await nextTurn();
  t.deepEqual(batches, [['a'], ['b', 'c']]);
  paceMs = 1;
  for (const end of ends) end();
  calls.push(call('d'));
  while (batches.length === 2) await nextTurn();
  ends[2]();
  t.deepEqual(await Promise.all(calls), ['A', 'B', 'C', 'D']);
});

test('a paced run starts at once when enough calls wait', async (t) => {
  const { batches, ends, run } = createRecorder();
  const weigh = (input: string) => input.length;
  const call = createBatcher({ run, ...limits, weigh, paceMs: () => 3_600_000, enoughWeight: 5 });
  const first = call('a');
  await nextTurn();
  ends[0]();
  t.is(await first, 'A');
  const others = [call('bb'), call('cc')];
  await nextTurn();
  t.is(batches.length, 1, 'too little waits');
  others.push(call('d'));
  await nextTurn();
  t.deepEqual(batches, [['a'], ['bb', 'cc', 'd']]);
  ends[1]();
  t.deepEqual(await Promise.all(others), ['BB', 'CC', 'D']);
});

test('a run has at most the allowed calls and weight, and a heavier call runs alone', async (t) => {
  const batches: number[][] = [];
  const run = async (batch: number[]) => {
    batches.push(batch);
    return batch;
  };
  const call = createBatcher({ run, maxBatch: 3, maxQueued: 100, weigh: (weight) => weight, maxWeight: 10 });
  await Promise.all([1, 1, 1, 1, 9, 50, 4].map(call));
  t.deepEqual(batches, [[1, 1, 1], [1, 9], [50], [4]]);
});

test('runs go on in parallel up to the limit', async (t) => {
  const { batches, ends, run } = createRecorder();
  const call = createBatcher({ run, maxBatch: 1, maxQueued: 100, concurrency: 2 });
  const calls = ['a', 'b', 'c'].map((input) => call(input));
  await nextTurn();
  t.deepEqual(batches, [['a'], ['b']]);
  for (const end of ends) end();
  await nextTurn();
  t.deepEqual(batches, [['a'], ['b'], ['c']]);
  ends[2]();
  t.deepEqual(await Promise.all(calls), ['A', 'B', 'C']);
});

test('a call beyond the queue is refused, the waiting ones are not', async (t) => {
  const { ends, run } = createRecorder();
  const call = createBatcher({ run, maxBatch: 1, maxQueued: 1 });
  const running = call('a');
  await nextTurn();
  const waiting = call('b');
  t.like(await t.throwsAsync(call('c')), { reason: 'UNAVAILABLE' });
  ends[0]();
  t.is(await running, 'A');
  await nextTurn();
  ends[1]();
  t.is(await waiting, 'B');
});

test('an input that fails its batch fails alone, and later calls continue', async (t) => {
  const run = async (batch: string[]) => {
    if (batch.includes('bad')) throw new Error('bad input');
    return batch;
  };
  const call = createBatcher({ run, ...limits });
  const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map(call));
  t.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.is(await call('c'), 'c');
});

test('an outage fails the whole batch once, because it may have taken effect', async (t) => {
  let runCount = 0;
  const run = async (): Promise<string[]> => {
    runCount += 1;
    throw new DomainError('UNAVAILABLE', 'gone');
  };
  const call = createBatcher<string, string>({ run, ...limits });
  const outcomes = await Promise.allSettled(['a', 'b'].map(call));
  t.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['rejected', 'rejected'],
  );
  t.is(runCount, 1);
});

test('parts fail independently', async (t) => {
  const batches: string[][] = [];
  const run = async (batch: string[]): Promise<string[]> => {
    batches.push(batch);
    if (batch[0].startsWith('b')) throw new DomainError('UNAVAILABLE', 'gone');
    return batch.map((input) => input.toUpperCase());
  };
  const partOf = (input: string) => input.charCodeAt(0);
  const call = createBatcher<string, string>({ run, partOf, ...limits });
  const outcomes = await Promise.allSettled(['a1', 'b1', 'a2', 'b2', 'c1'].map(call));
  t.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    ['A1', 'failed', 'A2', 'failed', 'C1'],
  );
  t.deepEqual(batches, [['a1', 'a2'], ['b1', 'b2'], ['c1']]);
});
