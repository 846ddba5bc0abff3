/** A thread that adds numbers to what it was told last, or does what a test asks of it. */

import { workerData } from 'node:worker_threads';
import { DomainError } from '../../../../src/errors.ts';
import { serveThread } from '../../../../src/ranking/runtime/threads/thread.ts';

export type ToyTask =
  | { add: number }
  | { fail: true }
  | { die: true }
  | { wait: SharedArrayBuffer }
  | { untilCancelled: true };

serveThread<ToyTask, number, number>((voice) => {
  let told = 0;
  if (workerData === 'never comes up') throw new Error('The thread cannot be used.');
  voice.sayReady();
  return {
    learn(news) {
      told = news;
    },
    perform(task, isCancelled) {
      if ('untilCancelled' in task) {
        while (!isCancelled());
        throw new Error('The task was given up.');
      }
      if ('die' in task) process.exit(1);
      if ('fail' in task)
        throw new DomainError('VARIABLE_MISSING', 'A variable is missing.', {
          metadata: { variable: 'brand' },
          violations: [{ pointer: '/brand', detail: 'It is missing.' }],
        });
      if ('wait' in task) {
        Atomics.wait(new Int32Array(task.wait), 0, 0);
        return told;
      }
      return told + task.add;
    },
  };
});
