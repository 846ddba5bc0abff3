/** Tasks that wait for a thread, shared fairly among callers. */

import { createFairQueue, type FairJob } from '../fair-queue.ts';

export type Job<Task, Result, Known> = Partial<FairJob> & {
  /** As a thread is given it, by what is known of that thread. */
  taskFor(known: Known): Task;
  /** The same without a thread. */
  here(): Result;
  /** Takes so little that it may be done here while all threads are busy [false]. */
  isShort?: boolean;
  /** Aborted when the answer is no longer needed: the task is not begun, or ends early. */
  signal?: AbortSignal;
};

/** A job whose answer is awaited. */
export type AwaitedJob<Task, Result, Known> = Job<Task, Result, Known> &
  FairJob & {
    /** Threads that ended with it. */
    attempts: number;
    resolve(result: Result): void;
    reject(error: Error): void;
  };

export type TaskQueue<Task, Result, Known> = {
  readonly length: number;
  add(job: AwaitedJob<Task, Result, Known>): void;
  /** What was given out and not answered comes before everything else. */
  putBack(job: AwaitedJob<Task, Result, Known>): void;
  /** Takes out a job that was given up. */
  remove(job: AwaitedJob<Task, Result, Known>): void;
  /** The next one, which stays. */
  head(): AwaitedJob<Task, Result, Known> | undefined;
  next(): AwaitedJob<Task, Result, Known> | undefined;
  /** Does all of them here. */
  drain(): void;
  /**
   * If the next one is short, does it here at the end of this turn of the event loop.
   *
   * @param onTurn Called before it is begun and when it is done: meanwhile nothing can be given out.
   */
  helpSoon(onTurn: (isAway: boolean) => void): void;
};

export function createTaskQueue<Task, Result, Known>(): TaskQueue<Task, Result, Known> {
  /** Taken from the end, before the others. */
  const first: AwaitedJob<Task, Result, Known>[] = [];
  const waiting = createFairQueue<AwaitedJob<Task, Result, Known>>();
  let isHelping = false;

  const doHere = (job: AwaitedJob<Task, Result, Known>): void => {
    try {
      job.resolve(job.here());
    } catch (error) {
      job.reject(error as Error);
    }
  };
  const take = () => first.pop() ?? waiting.next();
  const head = () => first.at(-1) ?? waiting.head();

  return {
    get length() {
      return first.length + waiting.length;
    },
    add: (job) => waiting.add(job),
    putBack: (job) => void first.push(job),
    remove(job) {
      const place = first.indexOf(job);
      if (place >= 0) first.splice(place, 1);
      else waiting.remove(job);
    },
    head,
    next: take,
    drain() {
      for (let job = take(); job; job = take()) doHere(job);
    },
    helpSoon(onTurn) {
      if (isHelping || !isForHere(head())) return;
      isHelping = true;
      setImmediate(() => {
        isHelping = false;
        /** By now it may be another. */
        const job = isForHere(head()) ? take() : undefined;
        if (job === undefined) return onTurn(false);
        onTurn(true);
        /** Behind what was given out, which is sent by then. */
        queueMicrotask(() => {
          doHere(job);
          onTurn(false);
        });
      });
    },
  };
}

/** A job that ended a thread might end this one, too. */
function isForHere(job?: { isShort?: boolean; attempts: number }): boolean {
  return job?.isShort === true && job.attempts === 0;
}
