/** The inner side of a pool's thread: takes news and tasks in the order in which they were sent. */

import { parentPort } from 'node:worker_threads';
import { type CancelledTasks, createCancelledTasks } from './cancelled-tasks.ts';
import { type FromThread, failureOf, type ToThread } from './messages.ts';

export type ThreadWork<Task, Result, News> = {
  /** What it throws is the task's failure. A long task asks now and then whether it was given up, and then throws anything. */
  perform(task: Task, isCancelled: () => boolean): Result;
  /** What it throws ends the thread: one that knows less than the others may answer nothing. */
  learn(news: News): void;
};

export type ThreadVoice<Remark> = {
  /** From now on it is given tasks. */
  sayReady(): void;
  remark(remark: Remark): void;
};

/** @param create Makes the work of this thread, which speaks through the voice. */
export function serveThread<Task, Result, News, Remark = never>(
  create: (voice: ThreadVoice<Remark>) => ThreadWork<Task, Result, News>,
): void {
  const port = parentPort!;
  const say = (message: FromThread<Result, Remark>): void => port.postMessage(message);
  const { perform, learn } = create({
    sayReady: () => say({ kind: 'ready' }),
    remark: (remark) => say({ kind: 'remark', remark }),
  });
  let cancelled: CancelledTasks;
  const answer = (taskId: number, task: Task): FromThread<Result, Remark> => {
    try {
      return { kind: 'done', taskId, result: perform(task, () => cancelled.isCancelled(taskId)) };
    } catch (error) {
      return { kind: 'failed', taskId, failure: failureOf(error) };
    }
  };
  port.on('message', (messages: ToThread<Task, News>[]) => {
    for (const message of messages) {
      if (message.kind === 'cancellations') cancelled = createCancelledTasks(message.cells);
      else if (message.kind === 'news') learn(message.news);
      else say(answer(message.taskId, message.task));
    }
  });
}
