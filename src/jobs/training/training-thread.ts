/** Controls the training thread: one request at a time, with progress. Starts it on demand. */

import { Worker } from 'node:worker_threads';
import type { ReportProgress } from './progress.ts';
import type { Trained, TrainingMessage, TrainingRequest, WorkerSettings } from './worker.ts';

export type TrainingThread = {
  /** @throws if the training fails or the thread ends. */
  train(request: TrainingRequest, onProgress?: ReportProgress): Promise<Trained>;
  /** Ends the thread permanently, even during a training. */
  stop(): Promise<void>;
};

export function createTrainingThread(settings: WorkerSettings): TrainingThread {
  let worker: Worker | undefined;
  let before: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const startWorker = (): Worker => {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: settings });
    /** The pending request, if any, reports the error. */
    started.on('error', () => undefined);
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    started.unref();
    return started;
  };
  return {
    train(request, onProgress) {
      const turn = before.then(() => {
        if (isStopped) throw new Error('The training thread is stopped.');
        worker ??= startWorker();
        return ask(worker, request, onProgress);
      });
      before = turn.catch(() => undefined);
      return turn;
    },
    async stop() {
      isStopped = true;
      await worker?.terminate();
    },
  };
}

function ask(worker: Worker, request: TrainingRequest, onProgress?: ReportProgress): Promise<Trained> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      worker.off('message', onMessage).off('exit', onExit).off('error', onError);
      settle();
    };
    const onMessage = (message: TrainingMessage) => {
      if (message.kind === 'progress') onProgress?.(message.stage, message.progress);
      else if (message.kind === 'trained') end(() => resolve(message.trained));
      else end(() => reject(new Error(message.error)));
    };
    const onExit = () => end(() => reject(new Error('The training thread ended.')));
    const onError = (error: Error) => end(() => reject(error));
    worker.on('message', onMessage).on('exit', onExit).on('error', onError);
    worker.postMessage(request);
  });
}
