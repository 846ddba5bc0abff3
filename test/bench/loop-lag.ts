/**
 * Delay of the event loop of a service. Preloaded into the service, this file writes the delays since the last SIGUSR2 to the
 * file LOOP_LAG_FILE at each SIGUSR2.
 */

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** Beyond the sampling interval of a millisecond. */
export type LoopLag = { p50Ms: number; p99Ms: number; mostMs: number };

const variable = 'LOOP_LAG_FILE';
const resolutionMs = 1;

/** Starts a process with measured delays; `read` returns those since its last call. */
export async function watchLoop<Started extends { pid: number }>(start: () => Promise<Started>) {
  const folder = mkdtempSync(join(tmpdir(), 'loop-lag-'));
  const path = join(folder, 'lag.json');
  const { NODE_OPTIONS = '' } = process.env;
  Object.assign(process.env, {
    [variable]: path,
    NODE_OPTIONS: `${NODE_OPTIONS} --import=${import.meta.url}`,
  });
  const started = await start().finally(() => {
    delete process.env[variable];
    process.env.NODE_OPTIONS = NODE_OPTIONS;
  });
  return {
    started,
    async read(): Promise<LoopLag> {
      rmSync(path, { force: true });
      process.kill(started.pid, 'SIGUSR2');
      while (!existsSync(path)) await delay(5);
      return JSON.parse(readFileSync(path, 'utf8'));
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Renames the complete file, because the reader waits for it to exist. */
function writeOnSignal(path: string): void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  process.on('SIGUSR2', () => {
    const lag: LoopLag = {
      p50Ms: lateMs(histogram.percentile(50)),
      p99Ms: lateMs(histogram.percentile(99)),
      mostMs: lateMs(histogram.max),
    };
    histogram.reset();
    writeFileSync(`${path}.new`, JSON.stringify(lag));
    renameSync(`${path}.new`, path);
  });
}

const path = process.env[variable];
if (path !== undefined && isMainThread) writeOnSignal(path);
