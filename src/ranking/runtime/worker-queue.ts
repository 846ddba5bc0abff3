/** The queue of a worker pool. */

import { DomainError } from '../../errors.ts';
import { createFairQueue, type FairJob } from './fair-queue.ts';

/** Workers that may die of a task. */
const mostAttempts = 2;

export type QueuedJob<Result> = FairJob & {
  here?(): Result;
  isShort?: boolean;
  signal?: AbortSignal;
  /** Workers that died of the job. */
  attempts: number;
  resolve(result: Result): void;
  reject(error: Error): void;
};

/** Jobs that wait for a worker, shared fairly among callers. */
export function createTaskQueue<Job extends QueuedJob<unknown>>() {
  /** Jobs of dead workers, taken from the end before all others. */
  const returned: Job[] = [];
  const waiting = createFairQueue<Job>();
  let isHelping = false;

  const doHere = (job: Job): void => {
    try {
      job.resolve(job.here!());
    } catch (error) {
      job.reject(error as Error);
    }
  };
  const next = () => returned.pop() ?? waiting.next();
  const head = () => returned.at(-1) ?? waiting.head();

  return {
    add: (job: Job) => waiting.add(job),
    /**
     * Puts the jobs of a dead worker before all others. The worker was at the first one, which fails
     * after `mostAttempts`.
     */
    putBack([first, ...others]: Job[]): void {
      for (const job of others.reverse()) if (!job.signal?.aborted) returned.push(job);
      if (first && ++first.attempts < mostAttempts && !first.signal?.aborted) returned.push(first);
      else first?.reject(new DomainError('INTERNAL', 'The request crashed the threads that answered it.'));
    },
    remove(job: Job): void {
      const place = returned.indexOf(job);
      if (place >= 0) returned.splice(place, 1);
      else waiting.remove(job);
    },
    head,
    next,
    /** Does all jobs here. Those that cannot run here wait, or fail when no worker will come. */
    drain(isWorkerComing: boolean): void {
      for (let job = head(); job; job = head()) {
        if (!job.here && isWorkerComing) return;
        next();
        if (job.here) doHere(job);
        else job.reject(new DomainError('UNAVAILABLE', 'The service is stopping.'));
      }
    },
    /**
     * Does the next job here at the end of this turn of the event loop, if it is short.
     *
     * @param dispatch Called with `true` before the job begins, because nothing can be sent
     *   meanwhile, and again after it.
     */
    helpSoon(dispatch: (isAway: boolean) => void): void {
      if (isHelping || !canRunHere(head())) return;
      isHelping = true;
      setImmediate(() => {
        isHelping = false;
        /** The head may have changed meanwhile. */
        const job = canRunHere(head()) ? next() : undefined;
        if (job === undefined) return dispatch(false);
        dispatch(true);
        /** The messages of the dispatch leave in a microtask that was queued before. */
        queueMicrotask(() => {
          doHere(job);
          dispatch(false);
        });
      });
    },
  };
}

/** A job that ended a worker might end this thread too. */
function canRunHere(job?: QueuedJob<unknown>): boolean {
  return job?.here !== undefined && job.isShort === true && job.attempts === 0;
}
