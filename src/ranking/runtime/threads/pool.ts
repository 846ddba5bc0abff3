/**
 * Threads that do the same work: each task goes to the one with least to do.
 *
 * A thread that dies is replaced, and what it had not answered goes to another; while there is no thread, tasks are done
 * here. So a pool is never the reason that a request is not answered. While all threads are busy, this one does short tasks too,
 * one a turn of its event loop, so that whatever else it serves waits for one at most.
 */

import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { DomainError } from '../../../errors.ts';
import { type AwaitedJob, createTaskQueue, type Job } from './task-queue.ts';
import { createThreadSlot, type ThreadSlot } from './thread-slot.ts';

export type ThreadPool<Task, Result, News, Known> = {
  start(): void;
  stop(): Promise<void>;
  run(job: Job<Task, Result, Known>): Promise<Result>;
  /** To every thread, those that are still being filled among them, before any task that is run later. */
  tell(news: News): void;
  /** Threads that take tasks. */
  readonly readyCount: number;
  /** Why there are fewer threads than there shall be; undefined when there are as many, or they are on their way. */
  readonly fault: string | undefined;
};

export type ThreadPoolOptions<News, Known, Remark> = {
  /** In log lines, e.g. `lists`. */
  name: string;
  count: number;
  createWorker(): Worker;
  /** A new thread: begins to tell it what it has to know, and gives what is remembered of it. */
  enter(tell: (news: News) => void): Known;
  /** The thread has ended. */
  leave?(known: Known): void;
  /** Before tasks are given out: what they rely on is told. */
  beforeTasks?(): void;
  /** What a thread says of its own. */
  onRemark?(remark: Remark, known: Known): void;
  logger: Pick<Logger, 'error' | 'info'>;
  /** Milliseconds before the first second attempt of a thread that did not come up; doubles with each [250]. */
  retryMs?: number;
};

/** A thread that did not come up is tried again after this long at the latest. */
const longestRetryMs = 30_000;

/**
 * One that it does and the next, so that it need not wait for this one. No more, for what is given out is not taken back: it
 * would wait for the thread while this one has time.
 */
// Five doubled the 99th percentile of lists over gRPC on two cores.
const mostUnderWay = 2;

/** So many while this one does a task itself, and gives out nothing. */
const mostUnderWayMeanwhile = 10;

/** A task that two threads died of is not tried on a third. */
const mostAttempts = 2;

export function createThreadPool<Task, Result, News, Known, Remark = never>(
  options: ThreadPoolOptions<News, Known, Remark>,
): ThreadPool<Task, Result, News, Known> {
  const { beforeTasks } = options;
  const queue = createTaskQueue<Task, Result, Known>();
  const threads = createThreads<Task, Result, News, Known, Remark>(options, {
    onRoom: () => giveOut(),
    onEnd(underWay) {
      giveBack(underWay);
      giveOut();
    },
  });
  const { slots } = threads;

  /** Gives out what waits; does it here when no thread takes tasks. */
  const giveOut = (isAway = false): void => {
    if (threads.readyCount() === 0) queue.drain();
    while (queue.length > 0) {
      const job = queue.head();
      if (job === undefined) return;
      const slot = leastBusy(slots, job, isAway ? mostUnderWayMeanwhile : mostUnderWay);
      if (slot === undefined) {
        queue.helpSoon(giveOut);
        return;
      }
      queue.next();
      beforeTasks?.();
      try {
        slot.give(job, job.taskFor(slot.known));
      } catch (error) {
        job.reject(error as Error);
      }
    }
  };
  /** What the thread had not answered is done by another, before everything else. It was at the first; nothing ended of the others. */
  const giveBack = ([first, ...others]: AwaitedJob<Task, Result, Known>[]): void => {
    for (const job of others.reverse()) if (!job.signal?.aborted) queue.putBack(job);
    if (first && ++first.attempts < mostAttempts && !first.signal?.aborted) queue.putBack(first);
    else first?.reject(new DomainError('INTERNAL', 'The request ended the threads that answered it.'));
  };

  return {
    start: threads.start,
    stop: threads.stop,
    async run(job) {
      if (threads.readyCount() === 0) return job.here();
      job.signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const awaited = { ...job, flow: job.flow ?? '', cost: job.cost ?? 1, attempts: 0, resolve, reject };
        /** A queued job leaves the queue; one under way is told to end early. */
        const giveUp = () => {
          reject(job.signal!.reason);
          queue.remove(awaited);
          for (const slot of slots) slot.cancel(awaited);
        };
        job.signal?.addEventListener('abort', giveUp, { once: true });
        queue.add(awaited);
        giveOut();
      });
    },
    tell(news) {
      for (const slot of slots) slot.tell(news);
    },
    get readyCount() {
      return threads.readyCount();
    },
    get fault() {
      return threads.fault();
    },
  };
}

type Slot<Task, Result, News, Known> = ThreadSlot<Task, News, Known, AwaitedJob<Task, Result, Known>>;

type ThreadEvents<Job> = {
  /** A thread can be given a task. */
  onRoom(): void;
  /** A thread has ended with these jobs, the one under way first. */
  onEnd(underWay: Job[]): void;
};

/** Keeps as many threads as there shall be. */
function createThreads<Task, Result, News, Known, Remark>(
  options: ThreadPoolOptions<News, Known, Remark>,
  { onRoom, onEnd }: ThreadEvents<AwaitedJob<Task, Result, Known>>,
) {
  const { name, count, logger, retryMs = 250 } = options;
  const slots = new Set<Slot<Task, Result, News, Known>>();
  const returns = createReturns(retryMs);
  let fault: string | undefined;
  let isRunning = false;

  const readyCount = () => [...slots].filter(({ isReady }) => isReady).length;
  const replace = (slot: Slot<Task, Result, News, Known>, error?: Error): void => {
    if (!slots.delete(slot)) return;
    options.leave?.(slot.known);
    if (isRunning) {
      fault = error?.message ?? 'A thread ended.';
      logger.error({ threads: name, err: error }, 'A thread ended; its tasks go to another.');
      returns.plan(slot.hasAnswered, add);
    }
    onEnd(slot.underWay.map(({ job }) => job));
  };
  const add = (): void => {
    try {
      const slot: Slot<Task, Result, News, Known> = createThreadSlot({
        ...options,
        onReady() {
          if (readyCount() === count) fault = undefined;
          onRoom();
        },
        onDone: onRoom,
        onEnd: (error) => replace(slot, error),
      });
      slots.add(slot);
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      logger.error({ threads: name, err: error }, 'A thread could not be started; trying again.');
      returns.plan(false, add);
    }
  };

  return {
    slots: slots as ReadonlySet<Slot<Task, Result, News, Known>>,
    readyCount,
    fault: () => fault,
    start() {
      isRunning = true;
      for (let place = 0; place < count; place++) add();
    },
    async stop() {
      isRunning = false;
      returns.cancel();
      await Promise.all([...slots].map((slot) => slot.end()));
    },
  };
}

/**
 * Finds the thread for a job; undefined when all have enough to do. Only short jobs share a thread: behind a long one, a job that
 * was given out could not be taken back for others that come first.
 */
function leastBusy<Task, Result, News, Known>(
  slots: Iterable<Slot<Task, Result, News, Known>>,
  { isShort }: { isShort?: boolean },
  mostShort: number,
): Slot<Task, Result, News, Known> | undefined {
  let best: Slot<Task, Result, News, Known> | undefined;
  for (const slot of slots) {
    const isFree = isShort
      ? slot.underWay.length < mostShort && slot.underWay.every(({ job }) => job.isShort)
      : slot.underWay.length === 0;
    if (!slot.isReady || !isFree) continue;
    if (best === undefined || slot.underWay.length < best.underWay.length) best = slot;
  }
  return best;
}

/** When threads come back: at once, but ever later when they end before they have answered anything. */
function createReturns(retryMs: number) {
  const timers = new Set<NodeJS.Timeout>();
  let failures = 0;
  return {
    plan(hadAnswered: boolean, comeBack: () => void): void {
      failures = hadAnswered ? 0 : failures + 1;
      const delayMs = failures <= 1 ? 0 : Math.min(longestRetryMs, retryMs * 2 ** (failures - 2));
      const timer = setTimeout(() => {
        timers.delete(timer);
        comeBack();
      }, delayMs);
      timers.add(timer.unref());
    },
    cancel(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
