/**
 * Group commit: calls that arrive while a batch runs form the next batch.
 *
 * A run starts at the end of a turn of the event loop, with the calls of all sockets that had data.
 * Under load a batch grows to all calls that arrived during the one before, so latency stays near
 * that of one run. A minimum time between runs gathers calls that come one by one.
 */
import { AsyncResource } from 'node:async_hooks';
import { DomainError } from '../errors.ts';

/** Lengths of queues by name, for metrics. */
export type QueueLengths = Map<string, () => number>;

type BatcherOptions<In, Out> = {
  /** Returns the outputs in order, all or none: a failed run must have had no effect. */
  run: (batch: In[]) => Promise<Out[]>;
  /** Failure domain of an input, such as its bucket; domains run in parallel [one]. */
  partOf?: (input: In) => number;
  /** Most calls of a run, of all parts together. */
  maxBatch: number;
  /** Most waiting calls; further ones are refused with UNAVAILABLE. */
  maxQueued: number;
  /** Weight of a call, such as its number of events [1]. */
  weigh?: (input: In) => number;
  /** Most weight of a run [no limit]; a single call that is heavier runs alone. */
  maxWeight?: number;
  /** Most batches that run at once [1]. */
  concurrency?: number;
  /** Minimum time from the start of a run to that of the next [0]. */
  paceMs?: () => number;
  /** Weight of waiting calls that starts a run before that time [no limit]. */
  enoughWeight?: number;
  /** Registers the number of waiting calls under a name. */
  queue?: { name: string; lengths?: QueueLengths };
};

type Waiting<In, Out> = {
  input: In;
  sinceMs: number;
  resolve: (output: Out) => void;
  reject: (error: unknown) => void;
};

/** For statements that each cost more than ten of their rows. */
// Two milliseconds gave the same rates and a median one millisecond later.
export const statementPaceMs = 1;

/** Longest wait of a call; after it the call fails with UNAVAILABLE. */
const maxWaitMs = 5_000;

export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): (input: In) => Promise<Out> {
  const { maxQueued, concurrency = 1, paceMs = () => 0 } = options;
  const queue: Waiting<In, Out>[] = [];
  /**
   * A batch for each run; an empty one is free. An array, since a Set that grows and shrinks leaves
   * old tables behind that refer to later ones and keep finished calls alive for V8's short
   * collections.
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
  /** Fails calls that waited too long. Waiting ones never run; running ones may still take effect. */
  const refuseLate = () => {
    const latestMs = performance.now() - maxWaitMs;
    while (queue.length > 0 && queue[0].sinceMs <= latestMs) queue.shift()!.reject(tooLate());
    for (const batch of running)
      for (const waiting of batch) if (waiting.sinceMs <= latestMs) waiting.reject(tooLate());
    if (queue.length > 0 || !running.every(isFree)) return;
    clearInterval(watch);
    watch = undefined;
  };

  /** A batch runs outside the asynchronous context of its first call. */
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

/** Starts runs at the end of a turn of the event loop, or when the pace allows it. */
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
    /** Plans the next start; a planned one may come sooner, since more calls wait by now. */
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

/** Returns how many waiting calls form the next batch: at least one. */
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

/** Repeats a batch that failed by its content call by call, so that one bad input fails alone. */
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

/** A failure of the database is not repeated: after a lost connection the run may have taken effect. */
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
