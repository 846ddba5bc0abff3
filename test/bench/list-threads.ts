/** Lists made by threads, without transport: lists per second, CPU of the main thread per list, memory of a thread. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ServingEnvironment } from '../../src/ranking/environment/serving-environment.ts';
import type { ListIngredients } from '../../src/ranking/lists/list-ingredients.ts';
import { createListThreads, type ListThreads } from '../../src/ranking/lists/threads/list-threads.ts';
import { residentKilobytes } from '../support/resident-memory.ts';

/** Concurrent requests per thread, which keep it busy. */
const atOncePerThread = 4;

/** Duration of the warm-up, as a multiple of the measurement. */
const warmUpShare = 2;

export type ThreadsMeasured = {
  threads: number;
  lists_per_second: number;
  /** CPU time of the main thread per list. */
  first_us: number;
  /** Growth of the process per thread; 0 without threads. */
  mb_per_thread: number;
  /** From the start of the threads until all take requests. */
  ready_ms: number;
};

export type ThreadsOptions = {
  environment: ServingEnvironment;
  buffer: SharedArrayBuffer;
  makings: readonly ListIngredients[];
  durationMs: number;
};

export async function measureListThreads(count: number, options: ThreadsOptions): Promise<ThreadsMeasured> {
  const { environment, buffer, durationMs } = options;
  const threads = createListThreads({
    environments: new Map([[environment.settings.name, environment]]),
    count,
    logger: { info: console.error, error: console.error },
  });
  threads.handOver(environment.settings.name, buffer, environment.models).use();
  globalThis.gc?.();
  const before = residentKilobytes(process.pid);
  const startMs = performance.now();
  threads.start();
  while (threads.readyCount < count) await delay(2);
  const readyMs = performance.now() - startMs;
  await askFor(durationMs * warmUpShare, threads, { ...options, count });
  const usageBefore = process.threadCpuUsage();
  const asked = await askFor(durationMs, threads, { ...options, count });
  const { user, system } = process.threadCpuUsage(usageBefore);
  globalThis.gc?.();
  const grown = residentKilobytes(process.pid) - before;
  await threads.stop();
  return {
    threads: count,
    lists_per_second: Math.round((asked.lists * 1_000) / asked.elapsedMs),
    first_us: Math.round((user + system) / asked.lists),
    mb_per_thread: count === 0 ? 0 : Number((grown / 1_024 / count).toFixed(1)),
    ready_ms: Math.round(readyMs),
  };
}

type Asking = ThreadsOptions & { count: number };

/** Closed loop: each lane requests its next lists when it has the last. */
async function askFor(durationMs: number, threads: ListThreads, { makings, count }: Asking) {
  const startMs = performance.now();
  let lists = 0;
  const ask = async () => {
    while (performance.now() - startMs < durationMs) {
      const making = makings[lists++ % makings.length];
      await threads.makeLists(making);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, count * atOncePerThread) }, ask));
  return { lists, elapsedMs: performance.now() - startMs };
}
