/**
 * The protocol between this thread and a worker thread: tasks with ids, updates of what the worker
 * knows, and cancellation. The worker takes messages in the order in which they were sent.
 */

import { parentPort, type Worker } from 'node:worker_threads';
import { DomainError, type DomainErrorOptions, type ErrorReason } from '../../errors.ts';

type ToWorker<Task, Update> =
  /** The first message; see createCancellations. */
  | { kind: 'cancellations'; cells: SharedArrayBuffer }
  | { kind: 'update'; update: Update }
  | { kind: 'task'; taskId: number; task: Task };

type FromWorker<Result, Notice> =
  | { kind: 'ready' }
  | { kind: 'done'; taskId: number; result: Result }
  | { kind: 'failed'; taskId: number; failure: Failure }
  | { kind: 'notice'; notice: Notice };

export type WorkerVoice<Notice> = {
  /** Asks for tasks. */
  ready(): void;
  notify(notice: Notice): void;
};

export type WorkerBehaviour<Task, Result, Update> = {
  /**
   * Does a task; an error is the task's failure. Several asynchronous tasks may run at the same
   * time.
   *
   * @param isCancelled To be called now and then by long tasks, which then throw any error.
   */
  perform(task: Task, isCancelled: () => boolean): Result | Promise<Result>;
  /** Applies an update. An error ends the worker, which would have stale data. */
  update(update: Update): void;
};

/** Serves the thread that started this worker. */
export function serveWorker<Task, Result, Update, Notice = never>(
  create: (voice: WorkerVoice<Notice>) => WorkerBehaviour<Task, Result, Update>,
): void {
  const port = parentPort!;
  const post = (message: FromWorker<Result, Notice>): void => port.postMessage(message);
  const { perform, update } = create({
    ready: () => post({ kind: 'ready' }),
    notify: (notice) => post({ kind: 'notice', notice }),
  });
  let cancellations: Cancellations;
  const run = (taskId: number, task: Task): void => {
    const fail = (error: unknown) => post({ kind: 'failed', taskId, failure: failureOf(error) });
    const succeed = (result: Result) => post({ kind: 'done', taskId, result });
    try {
      const result = perform(task, () => cancellations.isCancelled(taskId));
      if (result instanceof Promise) result.then(succeed).catch(fail);
      else succeed(result);
    } catch (error) {
      fail(error);
    }
  };
  port.on('message', (messages: ToWorker<Task, Update>[]) => {
    for (const message of messages) {
      if (message.kind === 'cancellations') cancellations = createCancellations(message.cells);
      else if (message.kind === 'update') update(message.update);
      else run(message.taskId, message.task);
    }
  });
}

export type Settling<Result> = { resolve(result: Result): void; reject(error: Error): void };

/** A worker as the thread that started it sees it. */
export type WorkerLink<Task, Update, Job> = {
  readonly isReady: boolean;
  /** Whether the worker has answered any task. */
  readonly hasAnswered: boolean;
  /** Jobs without an answer, in the order in which they were sent. */
  readonly underWay: readonly { job: Job }[];
  run(job: Job, task: Task): void;
  /** Asks the worker to end the job early, if it has it. */
  cancel(job: Job): void;
  update(update: Update): void;
  terminate(): Promise<void>;
};

export type WorkerEvents<Notice> = {
  onReady(): void;
  onNotice(notice: Notice): void;
  /** A task was answered, so the worker can take another. */
  onAnswer(): void;
  onExit(error?: Error): void;
};

export function linkWorker<Task, Result, Update, Job extends Settling<Result>, Notice>(
  worker: Worker,
  events: WorkerEvents<Notice>,
): WorkerLink<Task, Update, Job> {
  const cancellations = createCancellations();
  /** A short array; a Map with changing members would leave old tables behind. */
  const underWay: { taskId: number; job: Job }[] = [];
  let outbox: ToWorker<Task, Update>[] = [];
  let lastId = 0;
  let isReady = false;
  let hasAnswered = false;
  let failure: Error | undefined;

  /** Sends the messages of one turn of the event loop together, so that the worker wakes once. */
  const post = (message: ToWorker<Task, Update>): void => {
    if (outbox.push(message) === 1) queueMicrotask(flush);
  };
  const flush = (): void => {
    worker.postMessage(outbox);
    outbox = [];
  };
  post({ kind: 'cancellations', cells: cancellations.cells });

  worker.unref();
  worker.on('message', (message: FromWorker<Result, Notice>) => {
    if (message.kind === 'notice') return events.onNotice(message.notice);
    if (message.kind === 'ready') {
      isReady = true;
      return events.onReady();
    }
    hasAnswered = true;
    const place = underWay.findIndex(({ taskId }) => taskId === message.taskId);
    const job = place < 0 ? undefined : underWay.splice(place, 1)[0].job;
    if (message.kind === 'done') job?.resolve(message.result);
    else job?.reject(errorOf(message.failure));
    events.onAnswer();
  });
  worker.on('error', (error) => {
    failure = error as Error;
  });
  worker.on('exit', () => {
    isReady = false;
    events.onExit(failure);
  });

  return {
    get isReady() {
      return isReady;
    },
    get hasAnswered() {
      return hasAnswered;
    },
    underWay,
    run(job, task) {
      lastId += 1;
      underWay.push({ taskId: lastId, job });
      post({ kind: 'task', taskId: lastId, task });
    },
    cancel(job) {
      const found = underWay.find((other) => other.job === job);
      if (found) cancellations.cancel(found.taskId);
    },
    update: (update) => post({ kind: 'update', update }),
    terminate: async () => void (await worker.terminate()),
  };
}

type Cancellations = {
  readonly cells: SharedArrayBuffer;
  cancel(taskId: number): void;
  isCancelled(taskId: number): boolean;
};

/** More than the tasks of a worker at a time, so that these never share a cell. */
const cellCount = 64;

/**
 * Marks cancelled tasks in shared memory, because a busy worker reads no messages. Each cell holds
 * the last cancelled id (from 1) of those that share the cell.
 */
function createCancellations(cells = new SharedArrayBuffer(cellCount * 4)): Cancellations {
  const taskIds = new Int32Array(cells);
  return {
    cells,
    cancel: (taskId) => void Atomics.store(taskIds, taskId % cellCount, taskId),
    isCancelled: (taskId) => Atomics.load(taskIds, taskId % cellCount) === taskId,
  };
}

/** An error as plain data: a DomainError with its details, any other error with its stack. */
type Failure = { message: string; stack?: string; reason?: ErrorReason } & Omit<DomainErrorOptions, 'cause'>;

function failureOf(error: unknown): Failure {
  if (error instanceof DomainError) {
    const { message, reason, metadata, violations } = error;
    return { message, reason, metadata, violations };
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) };
}

function errorOf({ message, stack, reason, metadata, violations }: Failure): Error {
  if (reason !== undefined) return new DomainError(reason, message, { metadata, violations });
  return Object.assign(new Error(message), { stack });
}
