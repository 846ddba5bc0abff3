/** Controls the training thread: one request at a time, with progress. Starts it on demand. */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { createWorkerPool } from '../../ranking/runtime/workers.ts';
import type { ReportProgress } from './progress.ts';
import type { StageProgress, Trained, TrainingRequest, WorkerSettings } from './worker.ts';

export type TrainingThread = {
  /** @throws if the training fails, or the thread ends during it twice. */
  train(request: TrainingRequest, onProgress?: ReportProgress): Promise<Trained>;
  /** Ends the thread permanently, even during a training. */
  stop(): Promise<void>;
};

export function createTrainingThread(
  settings: WorkerSettings,
  logger: Pick<Logger, 'error' | 'info'>,
): TrainingThread {
  let report: ReportProgress | undefined;
  let isStopped = false;
  const pool = createWorkerPool<TrainingRequest, Trained, never, undefined, StageProgress>({
    name: 'training',
    count: 1,
    createWorker: () => new Worker(new URL('./worker.ts', import.meta.url), { workerData: settings }),
    onStart: () => undefined,
    onNotice: ({ stage, progress }) => report?.(stage, progress),
    logger,
  });
  return {
    async train(request, onProgress) {
      if (!isStopped) pool.start();
      const taskFor = () => {
        report = onProgress;
        return request;
      };
      return pool.run({ taskFor });
    },
    async stop() {
      isStopped = true;
      await pool.stop();
    },
  };
}
