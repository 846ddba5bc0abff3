/** One thread of a pool, as the pool sees it: what it was given, and what is remembered of it. */

import type { Worker } from 'node:worker_threads';
import { createCancelledTasks } from './cancelled-tasks.ts';
import { errorOf, type FromThread, type ToThread } from './messages.ts';

export type Settling<Result> = { resolve(result: Result): void; reject(error: Error): void };

export type ThreadSlot<Task, News, Known, Given> = {
  readonly known: Known;
  readonly isReady: boolean;
  /** It has answered a task. */
  readonly hasAnswered: boolean;
  /** In the order in which they were given. */
  readonly underWay: readonly { job: Given }[];
  give(job: Given, task: Task): void;
  /** Asks the thread to end the job early, if it has it. */
  cancel(job: Given): void;
  tell(news: News): void;
  end(): Promise<void>;
};

export type ThreadSlotOptions<News, Known, Remark> = {
  createWorker(): Worker;
  enter(tell: (news: News) => void): Known;
  onRemark?(remark: Remark, known: Known): void;
  onReady(): void;
  /** A task was answered, so that there is room for another. */
  onDone(): void;
  /** With the error that ended it. */
  onEnd(error?: Error): void;
};

export function createThreadSlot<Task, Result, News, Known, Remark, Given extends Settling<Result>>(
  options: ThreadSlotOptions<News, Known, Remark>,
): ThreadSlot<Task, News, Known, Given> {
  const worker = options.createWorker();
  const cancelled = createCancelledTasks();
  /** A handful. A Map whose members come and go leaves tables behind that refer to the next one: garbage that lives. */
  const underWay: { taskId: number; job: Given }[] = [];
  let outbox: ToThread<Task, News>[] = [];
  let lastId = 0;
  let isReady = false;
  let hasAnswered = false;
  let failure: Error | undefined;

  /** What one turn of this thread has to say goes as one message: the thread is woken once. */
  const post = (message: ToThread<Task, News>): void => {
    if (outbox.push(message) === 1) queueMicrotask(flush);
  };
  const flush = (): void => {
    worker.postMessage(outbox);
    outbox = [];
  };
  const take = (taskId: number): Given | undefined => {
    hasAnswered = true;
    const place = underWay.findIndex((one) => one.taskId === taskId);
    return place < 0 ? undefined : underWay.splice(place, 1)[0].job;
  };
  const tell = (news: News): void => post({ kind: 'news', news });
  post({ kind: 'cancellations', cells: cancelled.cells });
  const known = options.enter(tell);

  worker.unref();
  worker.on('message', (message: FromThread<Result, Remark>) => {
    if (message.kind === 'remark') return options.onRemark?.(message.remark, known);
    if (message.kind === 'ready') {
      isReady = true;
      return options.onReady();
    }
    const job = take(message.taskId);
    if (message.kind === 'done') job?.resolve(message.result);
    else job?.reject(errorOf(message.failure));
    options.onDone();
  });
  worker.on('error', (error) => {
    failure = error as Error;
  });
  worker.on('exit', () => {
    isReady = false;
    options.onEnd(failure);
  });

  return {
    known,
    get isReady() {
      return isReady;
    },
    get hasAnswered() {
      return hasAnswered;
    },
    underWay,
    give(job, task) {
      lastId += 1;
      underWay.push({ taskId: lastId, job });
      post({ kind: 'task', taskId: lastId, task });
    },
    cancel(job) {
      const one = underWay.find((other) => other.job === job);
      if (one) cancelled.cancel(one.taskId);
    },
    tell,
    end: async () => void (await worker.terminate()),
  };
}
