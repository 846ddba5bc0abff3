/**
 * How late the event loop of a service is. Preloaded into it, this file says so at each SIGUSR2: what was since the one before,
 * into the file that LOOP_LAG_FILE names.
 */

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** Beyond the pause between two looks, which is a millisecond. */
export type LoopLag = { p50Ms: number; p99Ms: number; mostMs: number };

const variable = 'LOOP_LAG_FILE';
const resolutionMs = 1;

/** Starts a process that is watched; `read` tells of the time since it was last called. */
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

/** Whole at once, since somebody waits for the file to be there. */
function tellWhenAsked(path: string): void {
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
if (path !== undefined && isMainThread) tellWhenAsked(path);
