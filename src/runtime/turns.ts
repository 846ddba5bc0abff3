/**
 * Shares one thread fairly among callers. Work starts at once while the thread keeps up. When a turn of the event loop has been
 * busy for a slice of time, further work waits, and later turns take it in fair order: see fair-queue.ts. Between two slices the event
 * loop reads what has arrived, so a short request of one caller overtakes the backlog of another.
 */

import { AsyncResource } from 'node:async_hooks';
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
  /** Undefined between two turns. */
  let sliceEndsMs: number | undefined;

  const beginSlice = (): void => {
    sliceEndsMs = nowMs() + sliceMs;
    setImmediate(endSlice);
  };
  const endSlice = (): void => {
    sliceEndsMs = undefined;
    let next = queue.next(mayStart);
    /** Where all that wait may not start yet, the end of work under way begins the next slice. */
    if (next === undefined) return;
    beginSlice();
    for (; next !== undefined; next = hasTime() ? queue.next(mayStart) : undefined) next.start();
  };
  const hasTime = () => nowMs() < sliceEndsMs!;
  const mayStart = (flow: string) => (underWay.get(flow) ?? 0) < mostUnderWay;
  const follow = async <T>(flow: string, work: () => Promise<T>): Promise<T> => {
    underWay.set(flow, (underWay.get(flow) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = underWay.get(flow)! - 1;
      if (left > 0) underWay.set(flow, left);
      else underWay.delete(flow);
      if (queue.length > 0 && sliceEndsMs === undefined) beginSlice();
    }
  };

  return {
    async run(job, work) {
      if (sliceEndsMs === undefined) beginSlice();
      if (queue.length > 0 || !hasTime()) {
        const { flow, cost, signal } = job;
        signal?.throwIfAborted();
        return new Promise((resolve, reject) => {
          /** Bound to the caller's asynchronous context, so that log lines and spans find their request. */
          const start = AsyncResource.bind(() => {
            signal?.removeEventListener('abort', leave);
            follow(flow, work).then(resolve, reject);
          });
          const waiting = { flow, cost, start };
          const leave = () => {
            queue.remove(waiting);
            reject(signal!.reason);
          };
          signal?.addEventListener('abort', leave, { once: true });
          queue.add(waiting);
        });
      }
      return follow(job.flow, work);
    },
  };
}
