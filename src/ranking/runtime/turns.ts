/**
 * Shares one thread fairly among callers. Work starts at once while the thread keeps up. When a turn of the event loop has been
 * busy for a slice of time, further work waits, and later turns take it in fair order: see fair-queue.ts. Between two slices the event
 * loop reads what has arrived, so a short request of one caller overtakes the backlog of another.
 */

import { createFairQueue, type FairJob } from './fair-queue.ts';

/** Work of one caller that is under way at once while others wait; it waits for the database and for other threads meanwhile. */
const mostUnderWay = 16;

/** Work of one turn. Longer slices delay other callers, shorter ones spend more time on polling. */
const sliceMs = 4;

export type Turns = {
  /**
   * Runs the work, now or in a later turn. Only its synchronous part occupies the thread.
   *
   * @throws What the work throws. When the signal is aborted before the work starts: its reason.
   */
  run<T>(job: TurnJob, work: () => Promise<T>): Promise<T>;
};

export type TurnJob = FairJob & { readonly signal?: AbortSignal };

type Waiting = FairJob & { start(): void };

/** @param nowMs Milliseconds on a clock that never goes back. */
export function createTurns(nowMs: () => number = () => performance.now()): Turns {
  const queue = createFairQueue<Waiting>();
  /** By flow, work that has started and not ended. */
  const underWay = new Map<string, number>();
  /** Work that arrives later waits for the next turn. */
  let sliceEndsMs = nowMs() + sliceMs;
  let isDraining = false;

  const drainSoon = (): void => {
    if (isDraining) return;
    isDraining = true;
    setImmediate(drain);
  };
  const drain = async (): Promise<void> => {
    sliceEndsMs = nowMs() + sliceMs;
    let next = queue.next(mayStart);
    /** Where all that wait may not start yet, the end of work under way drains again. */
    const isBlocked = next === undefined;
    for (; next !== undefined; next = hasTime() ? queue.next(mayStart) : undefined) {
      next.start();
      /** The job's synchronous part runs here, in the asynchronous context of its caller. */
      await undefined;
    }
    isDraining = false;
    if (queue.length > 0 && !isBlocked) drainSoon();
  };
  const hasTime = () => nowMs() < sliceEndsMs;
  const mayStart = (flow: string) => (underWay.get(flow) ?? 0) < mostUnderWay;
  const nextTurn = ({ flow, cost }: FairJob): Promise<void> =>
    new Promise((start) => {
      queue.add({ flow, cost, start });
      drainSoon();
    });

  return {
    async run(job, work) {
      const { flow, signal } = job;
      if (queue.length > 0 || !hasTime()) await nextTurn(job);
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
