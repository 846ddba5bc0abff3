/**
 * A pool of worker threads that do the same work.
 *
 * A task goes to the worker with the fewest tasks. A worker that dies is replaced, and its
 * unanswered tasks go to another. While no worker is ready, tasks run on this thread if they can,
 * so that a pool never leaves a request without an answer. While all workers are busy, this thread
 * also runs short tasks: one per turn of its event loop, so that its other work waits for one at
 * most.
 *
 * Not piscina: aborting a task ends its thread there, and it cannot send updates to all threads in
 * order with the tasks.
 */

import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { FairJob } from './fair-queue.ts';
import { linkWorker, type WorkerLink } from './worker-protocol.ts';
import { createTaskQueue, type QueuedJob } from './worker-queue.ts';

export type WorkerPool<Task, Result, Update, State> = {
  /** Starts the workers; the second call does nothing. */
  start(): void;
  stop(): Promise<void>;
  /**
   * @throws The error of the task, or the signal's reason. INTERNAL when two workers died of the
   *   task. UNAVAILABLE when the pool stops and the task cannot run on this thread.
   */
  run(job: WorkerJob<Task, Result, State>): Promise<Result>;
  /** Sends an update to every worker, ahead of all later tasks. */
  broadcast(update: Update): void;
  readonly readyCount: number;
  /** Why a worker is missing; undefined while none is, or the missing ones are about to start. */
  readonly fault: string | undefined;
};

export type WorkerJob<Task, Result, State> = Partial<FairJob> & {
  /** Makes the task for a worker from the state that is kept of that worker. */
  taskFor(state: State): Task;
  /** Does the task on this thread [it waits for a worker]. All jobs of a pool have it, or none. */
  here?(): Result;
  /** Short enough for this thread while all workers are busy [false]. */
  isShort?: boolean;
  /** Aborted when the answer is no longer needed: the task is not begun, or ends early. */
  signal?: AbortSignal;
};

export type WorkerPoolOptions<Update, State, Notice> = {
  /** Names the pool in log lines, for example `lists`. */
  name: string;
  count: number;
  /** Long tasks that a worker has at a time, because they wait for I/O [1]. */
  concurrency?: number;
  createWorker(): Worker;
  /** Sends the first updates to a new worker and returns the state that is kept of it. */
  onStart(send: (update: Update) => void): State;
  onExit?(state: State): void;
  /** Runs before tasks are sent, to send the updates that they rely on. */
  beforeTasks?(): void;
  onNotice?(notice: Notice, state: State): void;
  logger: Pick<Logger, 'error' | 'info'>;
  /** Milliseconds before a failed worker starts again; doubles with each attempt [250]. */
  retryMs?: number;
};

const longestRetryMs = 30_000;

/**
 * The task under way and the next, so that the worker need not wait for this thread. A task that
 * was sent cannot be taken back while this thread has time. Five doubled the 99th percentile of
 * lists over gRPC on two cores.
 */
const shortTasksPerWorker = 2;

/** While this thread runs a task itself and can send none. */
const shortTasksWhileAway = 10;

type PendingJob<Task, Result, State> = WorkerJob<Task, Result, State> & QueuedJob<Result>;

export function createWorkerPool<Task, Result, Update, State, Notice = never>(
  options: WorkerPoolOptions<Update, State, Notice>,
): WorkerPool<Task, Result, Update, State> {
  type Job = PendingJob<Task, Result, State>;
  const { concurrency = 1, beforeTasks } = options;
  const queue = createTaskQueue<Job>();
  const workers = createWorkers<Task, Result, Update, State, Notice>(options, {
    onRoom: () => dispatch(),
    onExit(unanswered) {
      queue.putBack(unanswered);
      dispatch();
    },
  });

  const dispatch = (isAway = false): void => {
    if (workers.readyCount() === 0) queue.drain(workers.isRunning());
    for (let job = queue.head(); job !== undefined; job = queue.head()) {
      const limits = { long: concurrency, short: isAway ? shortTasksWhileAway : shortTasksPerWorker };
      const worker = leastBusy(workers.all, job, limits);
      if (worker === undefined) {
        queue.helpSoon(dispatch);
        return;
      }
      queue.next();
      beforeTasks?.();
      try {
        worker.link.run(job, job.taskFor(worker.state));
      } catch (error) {
        job.reject(error as Error);
      }
    }
  };

  return {
    start: workers.start,
    stop: workers.stop,
    async run(job) {
      if (job.here && workers.readyCount() === 0) return job.here();
      job.signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const pending: Job = {
          ...job,
          flow: job.flow ?? '',
          cost: job.cost ?? 1,
          attempts: 0,
          resolve,
          reject,
        };
        const giveUp = () => {
          reject(job.signal!.reason);
          queue.remove(pending);
          for (const { link } of workers.all) link.cancel(pending);
        };
        job.signal?.addEventListener('abort', giveUp, { once: true });
        queue.add(pending);
        dispatch();
      });
    },
    broadcast(update) {
      for (const { link } of workers.all) link.update(update);
    },
    get readyCount() {
      return workers.readyCount();
    },
    get fault() {
      return workers.fault();
    },
  };
}

type PoolWorker<Task, Update, State, Job> = { link: WorkerLink<Task, Update, Job>; state: State };

type PoolEvents<Job> = {
  /** A worker can take a task. */
  onRoom(): void;
  /** A worker has exited without an answer to these jobs; the first one was under way. */
  onExit(unanswered: Job[]): void;
};

/** Keeps `count` workers running. */
function createWorkers<Task, Result, Update, State, Notice>(
  options: WorkerPoolOptions<Update, State, Notice>,
  { onRoom, onExit }: PoolEvents<PendingJob<Task, Result, State>>,
) {
  type Job = PendingJob<Task, Result, State>;
  const { name, count, logger, retryMs = 250 } = options;
  const all = new Set<PoolWorker<Task, Update, State, Job>>();
  const restarts = createRestarts(retryMs);
  let fault: string | undefined;
  let isRunning = false;

  const readyCount = () => {
    let ready = 0;
    for (const { link } of all) if (link.isReady) ready += 1;
    return ready;
  };
  const connect = (): void => {
    const link = linkWorker<Task, Result, Update, Job, Notice>(options.createWorker(), {
      onReady() {
        if (readyCount() === count) fault = undefined;
        onRoom();
      },
      onNotice: (notice) => options.onNotice?.(notice, worker.state),
      onAnswer: onRoom,
      onExit(error) {
        all.delete(worker);
        options.onExit?.(worker.state);
        if (isRunning) {
          fault = error?.message ?? 'A thread ended.';
          logger.error({ threads: name, err: error }, 'A thread ended. Its tasks go to another.');
          restarts.plan(link.hasAnswered, start);
        }
        onExit(link.underWay.map(({ job }) => job));
      },
    });
    const worker = { link, state: options.onStart(link.update) };
    all.add(worker);
  };
  const start = (): void => {
    try {
      connect();
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      logger.error({ threads: name, err: error }, 'A thread could not be started; trying again.');
      restarts.plan(false, start);
    }
  };

  return {
    all: all as ReadonlySet<PoolWorker<Task, Update, State, Job>>,
    readyCount,
    fault: () => fault,
    isRunning: () => isRunning,
    start() {
      if (isRunning) return;
      isRunning = true;
      for (let place = 0; place < count; place++) start();
    },
    async stop() {
      isRunning = false;
      restarts.cancel();
      await Promise.all([...all].map(({ link }) => link.terminate()));
    },
  };
}

type Limits = { long: number; short: number };

/**
 * Finds the worker for a job; undefined when all have enough to do. Only short jobs share a worker,
 * unless the jobs wait for I/O: a job that was sent behind a long one could not be taken back for
 * others that come first.
 */
function leastBusy<Task, Update, State, Job extends { isShort?: boolean }>(
  workers: Iterable<PoolWorker<Task, Update, State, Job>>,
  { isShort }: Job,
  limits: Limits,
): PoolWorker<Task, Update, State, Job> | undefined {
  let best: PoolWorker<Task, Update, State, Job> | undefined;
  for (const worker of workers) {
    const { isReady, underWay } = worker.link;
    const isFree = isShort
      ? underWay.length < limits.short && underWay.every(({ job }) => job.isShort)
      : underWay.length < limits.long;
    if (!isReady || !isFree) continue;
    if (best === undefined || underWay.length < best.link.underWay.length) best = worker;
  }
  return best;
}

/** Restarts workers: at once, then ever later while they end before they have answered anything. */
function createRestarts(retryMs: number) {
  const timers = new Set<NodeJS.Timeout>();
  let failures = 0;
  return {
    plan(hasAnswered: boolean, restart: () => void): void {
      failures = hasAnswered ? 0 : failures + 1;
      const delayMs = failures <= 1 ? 0 : Math.min(longestRetryMs, retryMs * 2 ** (failures - 2));
      const timer = setTimeout(() => {
        timers.delete(timer);
        restart();
      }, delayMs);
      timers.add(timer.unref());
    },
    cancel(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
