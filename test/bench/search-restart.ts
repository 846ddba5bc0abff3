/**
 * How long a start takes on a filled database, with a saved index and trained models: from the process's first moment until
 * /readyz says 200. `npm run benchmark:speed -- --only restart [--items N] [--starts N] [--rest N]`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEcho } from './processes.ts';
import { searchDeployment, searchItem } from './search-service.ts';
import { createGeneratedWorld } from './search-world.ts';
import { importItems, startService, train } from './service.ts';

export type RestartReport = {
  items: number;
  /** Of each start, the first after the load at the head. */
  ready_ms: number[];
  /** What a bare HTTP server took to start in the same run. */
  echo_ms: number;
};

export type RestartOptions = {
  itemCount: number;
  startCount: number;
  /** After the load: the index is saved when it has been over for some seconds. */
  restMs: number;
  say(text: string): void;
};

export async function measureRestart(options: RestartOptions): Promise<RestartReport> {
  const { itemCount, startCount, say } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-restart-'));
  try {
    await fill(dataDir, options);
    const times: number[] = [];
    for (let start = 0; start < startCount; start++) {
      say(`Starting again, ${start + 1} of ${startCount} …`);
      times.push(await timeStart(dataDir));
    }
    const beganMs = performance.now();
    const echo = await startEcho();
    const echoMs = Math.round(performance.now() - beganMs);
    await echo.stop();
    return { items: itemCount, ready_ms: times, echo_ms: echoMs };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function fill(dataDir: string, { itemCount, restMs, say }: RestartOptions): Promise<void> {
  say(`Filling a service with ${itemCount.toLocaleString('en')} items …`);
  const world = createGeneratedWorld(itemCount);
  const service = await startService(dataDir, searchDeployment);
  try {
    await importItems(service, itemCount, (index) => searchItem(world, index));
    say('Training …');
    await train(service);
    await delay(restMs);
  } finally {
    await service.stop();
  }
}

async function timeStart(dataDir: string): Promise<number> {
  const beganMs = performance.now();
  const service = await startService(dataDir, searchDeployment);
  const { status } = await fetch(`http://127.0.0.1:${service.port}/readyz`);
  const readyMs = Math.round(performance.now() - beganMs);
  await service.stop();
  if (status !== 200) throw new Error(`/readyz answered ${status}.`);
  return readyMs;
}
