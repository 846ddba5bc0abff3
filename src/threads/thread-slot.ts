/** One thread of a pool, as the pool sees it: what it was given, and what is remembered of it. */

import type { Worker } from 'node:worker_threads';
import { errorOf, type FromThread, type ToThread } from './messages.ts';

export type Settling<Result> = { resolve(result: Result): void; reject(error: Error): void };

export type ThreadSlot<Task, News, Known, Given> = {
  readonly known: Known;
  readonly isReady: boolean;
  /** It has answered a task. */
  readonly hasAnswered: boolean;
  readonly underWay: ReadonlyMap<number, Given>;
  give(job: Given, task: Task): void;
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
  const underWay = new Map<number, Given>();
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
    const job = underWay.get(taskId);
    underWay.delete(taskId);
    hasAnswered = true;
    return job;
  };
  const tell = (news: News): void => post({ kind: 'news', news });
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
      underWay.set(lastId, job);
      post({ kind: 'task', taskId: lastId, task });
    },
    tell,
    end: async () => void (await worker.terminate()),
  };
}
