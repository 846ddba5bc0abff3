/**
 * Group commit: calls that arrive while a batch runs wait together and make the next one.
 *
 * A run starts at the end of the event loop's turn, with all that this turn brought: the requests of all sockets that had
 * data. Under load batches grow to whatever arrived during the one before, so latency stays near one run and throughput near
 * the batch's. Where calls come one by one, runs can be held apart.
 */
import { AsyncResource } from 'node:async_hooks';
import { DomainError } from '../errors.ts';

/** Lengths of queues by name, for who watches the service. */
export type QueueLengths = Map<string, () => number>;

export type BatcherOptions<In, Out> = {
  /** Answers each input in order, all or nothing: a failed run must have had no effect. */
  run: (batch: In[]) => Promise<Out[]>;
  /**
   * What a run of one input may fail of while another's goes on, such as the bucket that it lies in: inputs of different parts
   * run beside each other, and fail apart [all are one].
   */
  partOf?: (input: In) => number;
  /** Calls of a run at most, of all parts together. */
  maxBatch: number;
  /** Calls that may wait; one more is refused with UNAVAILABLE. */
  maxQueued: number;
  /** What a call counts for against `maxWeight`, such as its number of events [1]. */
  weigh?: (input: In) => number;
  /** Of a run's calls together [no limit]; a single call that is heavier runs alone. */
  maxWeight?: number;
  /** Batches that may run at once [1]. */
  concurrency?: number;
  /** A run starts no sooner than so many milliseconds after the start of the one before [0], */
  paceMs?: () => number;
  /** unless what waits weighs so much [no limit]. */
  enoughWeight?: number;
  /** Where the number of waiting calls can be read, and under which name. */
  queue?: { name: string; lengths?: QueueLengths };
};

type Waiting<In, Out> = {
  input: In;
  sinceMs: number;
  resolve: (output: Out) => void;
  reject: (error: unknown) => void;
};

/** For statements that each cost more than ten of their rows: the milliseconds from the start of one to that of the next. */
// Two milliseconds gave the same rates and a median one millisecond later.
export const statementPaceMs = 1;

/** How long a call waits for its answer; after it, it is refused as UNAVAILABLE. */
const maxWaitMs = 5_000;

export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): (input: In) => Promise<Out> {
  const { maxQueued, concurrency = 1, paceMs = () => 0 } = options;
  const queue: Waiting<In, Out>[] = [];
  /**
   * By run; an empty place is free. A Set whose members come and go leaves tables behind that refer to the next one and to
   * calls that were under way: once one of them is old, every short collection copies all that came after it.
   */
  const running: Waiting<In, Out>[][] = Array.from({ length: concurrency }, () => []);
  let watch: NodeJS.Timeout | undefined;
  options.queue?.lengths?.set(options.queue.name, () => queue.length);

  const start = () => {
    for (let place = 0; place < concurrency && queue.length > 0; place++)
      if (isFree(running[place])) startAt(place);
  };
  const startAt = (place: number) => {
    plan.noteStart();
    running[place] = queue.splice(0, countBatch(queue, options));
    void settleParts(options, running[place]).finally(() => {
      running[place] = [];
      if (queue.length === 0) return;
      if (paceMs() > 0) plan.next();
      else start();
    });
  };
  /** Refuses who has waited too long: what has not begun is not begun, and what has begun may still take effect. */
  const refuseLate = () => {
    const latestMs = performance.now() - maxWaitMs;
    while (queue.length > 0 && queue[0].sinceMs <= latestMs) queue.shift()!.reject(tooLate());
    for (const batch of running)
      for (const waiting of batch) if (waiting.sinceMs <= latestMs) waiting.reject(tooLate());
    if (queue.length > 0 || !running.every(isFree)) return;
    clearInterval(watch);
    watch = undefined;
  };

  /** A batch belongs to none of its calls, so it takes over nothing of the first one's. */
  const startBatch = AsyncResource.bind(() => {
    watch ??= setInterval(refuseLate, maxWaitMs / 4).unref();
    start();
  });
  const plan = createPlan({ paceMs, isEnough: () => isEnough(queue, options), start: startBatch });

  return (input) => {
    if (queue.length >= maxQueued) return Promise.reject(overload(maxQueued));
    return new Promise((resolve, reject) => {
      queue.push({ input, sinceMs: performance.now(), resolve, reject });
      plan.next();
    });
  };
}

type Pace = { paceMs(): number; isEnough(): boolean; start(): void };

/** Starts at the end of a turn of the event loop, or when the pace allows it. */
function createPlan({ paceMs, isEnough, start }: Pace) {
  let startedMs = Number.NEGATIVE_INFINITY;
  let isNow = false;
  let later: NodeJS.Timeout | undefined;
  const startPlanned = () => {
    isNow = false;
    later = undefined;
    start();
  };
  return {
    noteStart() {
      startedMs = performance.now();
    },
    /** Plans the next start; one that is to come later may come sooner, since more waits for it by now. */
    next() {
      if (isNow) return;
      const waitMs = startedMs + paceMs() - performance.now();
      if (waitMs > 0 && !isEnough()) {
        later ??= setTimeout(startPlanned, waitMs);
        return;
      }
      clearTimeout(later);
      isNow = true;
      setImmediate(startPlanned);
    },
  };
}

function isEnough<In, Out>(queue: readonly Waiting<In, Out>[], options: BatcherOptions<In, Out>): boolean {
  const { enoughWeight = Number.POSITIVE_INFINITY, weigh = () => 1 } = options;
  if (enoughWeight === Number.POSITIVE_INFINITY) return false;
  let weight = 0;
  for (const { input } of queue) {
    weight += weigh(input);
    if (weight >= enoughWeight) return true;
  }
  return false;
}

const isFree = (batch: readonly unknown[]): boolean => batch.length === 0;

/** How many of the waiting calls make the next batch: at least one. */
function countBatch<In, Out>(queue: Waiting<In, Out>[], options: BatcherOptions<In, Out>): number {
  const { maxBatch, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 1 } = options;
  const most = Math.min(queue.length, maxBatch);
  let weight = weigh(queue[0].input);
  let count = 1;
  while (count < most) {
    weight += weigh(queue[count].input);
    if (weight > maxWeight) break;
    count += 1;
  }
  return count;
}

async function settleParts<In, Out>(
  { run, partOf }: BatcherOptions<In, Out>,
  batch: Waiting<In, Out>[],
): Promise<void> {
  if (partOf === undefined) return settle(run, batch);
  const parts = Map.groupBy(batch, ({ input }) => partOf(input));
  await Promise.all(Array.from(parts.values(), (part) => settle(run, part)));
}

/** A batch that its content spoils is repeated call by call, so that one bad input fails alone. */
async function settle<In, Out>(
  run: BatcherOptions<In, Out>['run'],
  batch: Waiting<In, Out>[],
): Promise<void> {
  try {
    const outputs = await run(batch.map((waiting) => waiting.input));
    for (const [index, waiting] of batch.entries()) waiting.resolve(outputs[index]);
  } catch (error) {
    if (batch.length > 1 && !isOutage(error)) {
      for (const waiting of batch) await settle(run, [waiting]);
    } else {
      for (const waiting of batch) waiting.reject(error);
    }
  }
}

/** Of the database, not of the content; after a lost connection it is not even known whether the run took effect. */
function isOutage(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'UNAVAILABLE';
}

function tooLate(): DomainError {
  const message = 'The database did not answer in time; try again in a moment.';
  return new DomainError('UNAVAILABLE', message, { metadata: { maxWaitMs: String(maxWaitMs) } });
}

function overload(maxQueued: number): DomainError {
  const message = 'Too many calls wait for the database; try again in a moment.';
  return new DomainError('UNAVAILABLE', message, { metadata: { maxQueued: String(maxQueued) } });
}
