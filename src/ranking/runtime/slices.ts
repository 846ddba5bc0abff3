/**
 * Time slices: long work on the event loop gives other work its turn between slices of a few
 * milliseconds.
 *
 * - `nextTurn` yields once, for loops that count their steps.
 * - `createSlicer` yields when a slice of time is used up, and can leave half of the time to other
 *   work.
 * - `createTurns` shares the thread among callers with work of their own.
 */

import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { createFairQueue, type FairJob } from './fair-queue.ts';

/**
 * Resolves after the event loop has handled what has arrived.
 *
 * @throws The signal's reason when it is aborted.
 */
export function nextTurn(signal?: AbortSignal): Promise<void> {
  return immediate(undefined, { signal });
}

/** To be awaited after each step of long work. */
export type Slicer = () => Promise<void>;

/** A turn of the event loop without other work. */
const idleTurnMs = 0.2;

/**
 * Creates a slicer for work beside requests. After a slice, requests get their turn, and the work
 * rests for as long as they took, up to `longestRestMs`. A request therefore waits for one slice at
 * most, and half of the time stays free for requests.
 */
export function createSlicer({ sliceMs = 1, longestRestMs = 20 } = {}): Slicer {
  let startMs = performance.now();
  return async () => {
    const pauseMs = performance.now();
    if (pauseMs - startMs < sliceMs) return;
    await nextTurn();
    const othersMs = performance.now() - pauseMs;
    if (othersMs > idleTurnMs) await delay(Math.min(longestRestMs, othersMs));
    startMs = performance.now();
  };
}

/** Jobs per caller under way while others wait; they mostly wait for I/O. */
const mostUnderWay = 16;

/** Longer slices delay other callers; shorter ones spend more time on polling. */
const turnSliceMs = 4;

/**
 * Shares one thread fairly among callers. Work starts at once while the thread keeps up. When a
 * turn of the event loop has used up its slice, further work waits for later turns, in the order of
 * fair-queue.ts. A short request of one caller therefore overtakes the backlog of another.
 */
export type Turns = {
  /**
   * Runs the work, now or in a later turn. Only its synchronous part occupies the thread.
   *
   * @throws What the work throws, or the signal's reason when it is aborted before the work starts.
   */
  run<T>(job: TurnJob, work: () => Promise<T>): Promise<T>;
};

export type TurnJob = FairJob & { readonly signal?: AbortSignal };

type WaitingJob = FairJob & { start(): void };

/** @param nowMs A monotonic clock, in milliseconds. */
export function createTurns(nowMs: () => number = () => performance.now()): Turns {
  const queue = createFairQueue<WaitingJob>();
  /** By flow: started and unfinished jobs. */
  const underWay = new Map<string, number>();
  /** Work that arrives later waits for the next turn. */
  let sliceEndsMs = nowMs() + turnSliceMs;
  let isDraining = false;

  const drainSoon = (): void => {
    if (isDraining) return;
    isDraining = true;
    setImmediate(drain);
  };
  const drain = async (): Promise<void> => {
    sliceEndsMs = nowMs() + turnSliceMs;
    let next = queue.next(mayStart);
    /** When no waiting job may start yet, the end of a job under way drains again. */
    const isBlocked = next === undefined;
    for (; next !== undefined; next = hasTime() ? queue.next(mayStart) : undefined) {
      next.start();
      /** Runs the synchronous part of the job here, in the asynchronous context of its caller. */
      await undefined;
    }
    isDraining = false;
    if (queue.length > 0 && !isBlocked) drainSoon();
  };
  const hasTime = () => nowMs() < sliceEndsMs;
  const mayStart = (flow: string) => (underWay.get(flow) ?? 0) < mostUnderWay;
  const wait = ({ flow, cost }: FairJob): Promise<void> =>
    new Promise((start) => {
      queue.add({ flow, cost, start });
      drainSoon();
    });

  return {
    async run(job, work) {
      const { flow, signal } = job;
      if (queue.length > 0 || !hasTime()) await wait(job);
      signal?.throwIfAborted();
      underWay.set(flow, (underWay.get(flow) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = underWay.get(flow)! - 1;
        if (left > 0) underWay.set(flow, left);
        else underWay.delete(flow);
        if (queue.length > 0) drainSoon();
      }
    },
  };
}
