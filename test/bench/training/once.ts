/**
 * One training in a process of its own, which separates the memory of trainings: `node once.ts CONNECTION EVENTS THREADS`, the
 * connection as JSON. It trains like a service, but without evaluation. Progress goes to standard error; the last line of the
 * output is the outcome.
 */

import { createTrainingThread } from '../../../src/jobs/training/training-thread.ts';
import { environment } from './world.ts';

export type Outcome = {
  seconds: number;
  /** CPU time of all threads. */
  cpuSeconds: number;
  /** Peak memory of the process. */
  peakRssMb: number;
  /** Seconds by stage, in order. */
  stages: Record<string, number>;
};

async function trainOnce([connection, events, threads]: string[]): Promise<Outcome> {
  const settings = { connection: JSON.parse(connection), threadCount: Number(threads) };
  const thread = createTrainingThread(settings, { info: () => undefined, error: console.error });
  const watch = createStageWatch();
  const startMs = performance.now();
  await thread.train(
    { environment, nowMs: Date.now(), learns: true, mostEvents: Number(events), stores: false },
    watch.enter,
  );
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage();
  await thread.stop();
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    stages: watch.finish(),
  };
}

function createStageWatch() {
  const stages: Record<string, number> = {};
  let current: string | undefined;
  let sinceMs = performance.now();
  const finish = (): Record<string, number> => {
    const seconds = (performance.now() - sinceMs) / 1000;
    if (current !== undefined) {
      stages[current] = (stages[current] ?? 0) + seconds;
      console.error(`  ${current.padEnd(20)} ${seconds.toFixed(1).padStart(7)} s`);
    }
    sinceMs = performance.now();
    return stages;
  };
  return {
    /** May be called several times for a stage. */
    enter(stage: string): void {
      if (stage === current) return;
      finish();
      current = stage;
    },
    finish,
  };
}

console.log(JSON.stringify(await trainOnce(process.argv.slice(2))));
