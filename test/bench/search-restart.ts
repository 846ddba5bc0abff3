/**
 * Time of a start on a filled database with trained models, with and without a saved index: from the start of the process
 * until /readyz answers 200, and until every item is indexed. `npm run benchmark:speed -- --only restart [--items N] [--starts N] [--rest N]`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import { silentLogger } from '../support/database.ts';
import { residentKilobytes } from '../support/resident-memory.ts';
import { startEcho } from './processes.ts';
import { searchDeployment, searchItem } from './search-service.ts';
import { createGeneratedWorld } from './search-world.ts';
import { importItems, startService, train } from './service.ts';

const pollMs = 100;

export type RestartReport = {
  items: number;
  /** For each start; the first one follows the load. */
  ready_ms: number[];
  /** Resident memory of the process when it is ready. */
  memory_mb: number;
  /** A start without a saved index; `left` items are not indexed yet when the service is ready. */
  unindexed: { ready_ms: number; left: number; indexed_ms: number; memory_mb: number };
  /** Time of the echo server's start in the same run. */
  echo_ms: number;
};

export type RestartOptions = {
  itemCount: number;
  startCount: number;
  /** Pause after the load: the index is saved some seconds later. */
  restMs: number;
  say(text: string): void;
};

export async function measureRestart(options: RestartOptions): Promise<RestartReport> {
  const { itemCount, startCount, say } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-restart-'));
  try {
    await fill(dataDir, options);
    const times: Start[] = [];
    for (let start = 0; start < startCount; start++) {
      say(`Starting again, ${start + 1} of ${startCount} …`);
      times.push(await timeStart(dataDir));
    }
    await forgetIndex(dataDir);
    say('Starting without a saved index …');
    const unindexed = await timeStart(dataDir);
    const beganMs = performance.now();
    const echo = await startEcho();
    const echoMs = Math.round(performance.now() - beganMs);
    await echo.stop();
    return {
      items: itemCount,
      ready_ms: times.map(({ ready_ms }) => ready_ms),
      memory_mb: times[0].memory_mb,
      unindexed,
      echo_ms: echoMs,
    };
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

type Start = RestartReport['unindexed'];

async function timeStart(dataDir: string): Promise<Start> {
  const beganMs = performance.now();
  const since = () => Math.round(performance.now() - beganMs);
  const service = await startService(dataDir, searchDeployment);
  try {
    const address = `http://127.0.0.1:${service.port}/readyz`;
    const { status } = await fetch(address);
    const readyMs = since();
    if (status !== 200) throw new Error(`/readyz answered ${status}.`);
    const left = Number.parseInt(await readSearch(`${address}?verbose`), 10) || 0;
    while ((await readSearch(`${address}?verbose`)) !== 'ok') await delay(pollMs);
    const memory = Math.round(residentKilobytes(service.pid) / 1_000);
    return { ready_ms: readyMs, left, indexed_ms: since(), memory_mb: memory };
  } finally {
    await service.stop();
  }
}

async function readSearch(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`/readyz answered ${response.status}.`);
  return ((await response.json()) as { checks: { search: string } }).checks.search;
}

async function forgetIndex(dataDir: string): Promise<void> {
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('delete from search_snapshots');
  await client.end();
  await stop();
}
