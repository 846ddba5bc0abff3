/** A worker that adds numbers to its last update, or does what a test asks for. */

import { workerData } from 'node:worker_threads';
import { DomainError } from '../../../../src/errors.ts';
import { serveWorker } from '../../../../src/ranking/runtime/worker-protocol.ts';

export type ToyTask =
  | { add: number }
  | { fail: true }
  | { die: true }
  | { wait: SharedArrayBuffer }
  | { untilCancelled: true }
  | { later: number };

serveWorker<ToyTask, number, number>((voice) => {
  let offset = 0;
  if (workerData === 'never comes up') throw new Error('The worker cannot be used.');
  voice.ready();
  return {
    update(update) {
      offset = update;
    },
    perform(task, isCancelled) {
      if ('untilCancelled' in task) {
        while (!isCancelled());
        throw new Error('The task was cancelled.');
      }
      if ('later' in task) return new Promise((resolve) => setImmediate(() => resolve(task.later)));
      if ('die' in task) process.exit(1);
      if ('fail' in task)
        throw new DomainError('VARIABLE_MISSING', 'A variable is missing.', {
          metadata: { variable: 'brand' },
          violations: [{ pointer: '/brand', detail: 'It is missing.' }],
        });
      if ('wait' in task) {
        Atomics.wait(new Int32Array(task.wait), 0, 0);
        return offset;
      }
      return offset + task.add;
    },
  };
});
