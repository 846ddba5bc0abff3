/** Tasks that wait for a thread, in their order; what nobody waits for any more is left out. */

import { DomainError } from '../errors.ts';

export type Job<Task, Result, Known> = {
  /** As a thread is given it, by what is known of that thread. */
  taskFor(known: Known): Task;
  /** The same without a thread. */
  here(): Result;
  /** It takes so little that it may be done here while all threads are busy [false]. */
  isShort?: boolean;
  /** The caller has gone. */
  signal?: AbortSignal;
  /** Moment by `performance.now()` after which nobody waits for the answer. */
  endMs?: number;
};

/** A job whose answer is awaited. */
export type AwaitedJob<Task, Result, Known> = Job<Task, Result, Known> & {
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
  /** The first that is still waited for. */
  next(): AwaitedJob<Task, Result, Known> | undefined;
  /** Does all of them here. */
  drain(): void;
  /**
   * If the first is short, does it here at the end of this turn of the event loop.
   *
   * @param onTurn Called before it is begun and when it is done: meanwhile nothing can be given out.
   */
  helpSoon(onTurn: (isAway: boolean) => void): void;
};

export function createTaskQueue<Task, Result, Known>(): TaskQueue<Task, Result, Known> {
  /** Taken from the end of `first` as long as there are any, then from `waiting`, whose start moves. */
  const first: AwaitedJob<Task, Result, Known>[] = [];
  let waiting: AwaitedJob<Task, Result, Known>[] = [];
  let start = 0;
  let isHelping = false;

  const doHere = (job: AwaitedJob<Task, Result, Known>): void => {
    try {
      job.resolve(job.here());
    } catch (error) {
      job.reject(error as Error);
    }
  };
  const take = (): AwaitedJob<Task, Result, Known> | undefined => {
    if (first.length > 0) return first.pop();
    const job = waiting[start++];
    if (start < waiting.length) return job;
    waiting = [];
    start = 0;
    return job;
  };
  /** The first that is still waited for, which stays. */
  const head = (): AwaitedJob<Task, Result, Known> | undefined => {
    for (let job = first.at(-1) ?? waiting[start]; job; job = first.at(-1) ?? waiting[start]) {
      if (job.signal?.aborted) job.reject(job.signal.reason);
      else if (job.endMs !== undefined && performance.now() > job.endMs) job.reject(tooLate());
      else return job;
      take();
    }
    return undefined;
  };
  const next = () => head() && take();

  return {
    get length() {
      return first.length + waiting.length - start;
    },
    add: (job) => void waiting.push(job),
    putBack: (job) => void first.push(job),
    next,
    drain() {
      for (let job = next(); job; job = next()) doHere(job);
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

/** What a thread has ended with might end this one, too. */
function isForHere(job?: { isShort?: boolean; attempts: number }): boolean {
  return job?.isShort === true && job.attempts === 0;
}

function tooLate(): DomainError {
  return new DomainError('DEADLINE_EXCEEDED', 'The time for the answer was over before its work began.');
}
