/**
 * `npm run benchmark:training [-- --events 1.25M,5M,20M] [--users 1M] [--items 100k] [--threads N] [--data-dir FOLDER] [--json]`: measures
 * time and memory of a training on generated data of several sizes, and their growth.
 *
 * The largest size has all users, a smaller one its share of them, and each size has all items. With a folder, data and results
 * are kept, and an interrupted run continues.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultThreadCount } from '../../src/jobs/training/machine.ts';
import { createDatabase, type Database } from '../../src/repository/database.ts';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import { copyEvents } from '../../src/repository/events/event-copy.ts';
import { listEventRanges } from '../../src/repository/events/event-ranges.ts';
import { streamEvents } from '../../src/repository/events/event-stream.ts';
import { migrate } from '../../src/repository/migrations.ts';
import { countOf } from './sizes.ts';
import type { Outcome } from './training/once.ts';
import { environment, fill, makeItems, type Size } from './training/world.ts';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1M' },
    items: { type: 'string', default: '100k' },
    events: { type: 'string', default: '1.25M,5M,20M' },
    threads: { type: 'string', default: String(defaultThreadCount()) },
    'data-dir': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

/** Reading is compared on so many events at most. */
const mostCompared = 1_000_000;
const quiet = { info: () => undefined, warn: console.error, error: console.error };

type Result = Size & Outcome & { items: number; threads: number };

async function main(): Promise<void> {
  const folder = values['data-dir'] ?? mkdtempSync(join(tmpdir(), 'benchmark-training-'));
  mkdirSync(folder, { recursive: true });
  const server = await startEmbeddedPostgres({ dataDir: folder, logger: quiet });
  const db = createDatabase(server.connection, { poolSize: 2 });
  try {
    await migrate(db);
    const results = await measureAll(db, JSON.stringify(server.connection), join(folder, 'results.json'));
    console.log(values.json ? JSON.stringify({ results, growth: growthOf(results) }) : summarise(results));
  } finally {
    await db.close();
    await server.stop();
    if (values['data-dir'] === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(db: Database, connection: string, resultsPath: string): Promise<Result[]> {
  const itemCount = countOf(values.items);
  const threads = Number(values.threads);
  const measured = readResults(resultsPath);
  await makeItems(db, itemCount);
  const results: Result[] = [];
  for (const size of sizes()) {
    const before = results.at(-1) ?? { users: 0, events: 0 };
    await fillTelling(db, { itemCount, before, size });
    if (results.length === 0) say(await compareReading(db));
    const known = measured.find((one) => isSameRun(one, { ...size, items: itemCount, threads }));
    results.push(known ?? { ...size, items: itemCount, threads, ...(await train(connection, size)) });
    writeFileSync(resultsPath, JSON.stringify(results));
    say(describe(results.at(-1)!));
  }
  return results;
}

/** Ascending: each size extends the one before. */
function sizes(): Size[] {
  const all = values.events
    .split(',')
    .map(countOf)
    .toSorted((a, b) => a - b);
  const users = countOf(values.users);
  return all.map((events) => ({ events, users: Math.ceil((users * events) / all.at(-1)!) }));
}

function readResults(path: string): Result[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Result[];
  } catch {
    return [];
  }
}

function isSameRun(one: Result, other: Omit<Result, keyof Outcome>): boolean {
  return (['users', 'events', 'items', 'threads'] as const).every((name) => one[name] === other[name]);
}

async function fillTelling(
  db: Database,
  filling: { itemCount: number; before: Size; size: Size },
): Promise<void> {
  const { users, events } = filling.size;
  say(`Making ${grouped(events)} events of ${grouped(users)} users …`);
  const startMs = performance.now();
  const onProgress = (made: number) => say(`  ${grouped(made)} after ${secondsSince(startMs)} s`);
  await fill(db, { ...filling, onProgress });
}

/** Compares rows through the driver with COPY, on the same events. */
async function compareReading(db: Database): Promise<string> {
  let rows = 0;
  const startMs = performance.now();
  for await (const batch of streamEvents(db, environment)) {
    rows += batch.length;
    if (rows >= mostCompared) break;
  }
  const middleMs = performance.now();
  /** All events have one lane, so the first events are those up to a number. */
  const ranges = (await listEventRanges(db)).map((range) => ({
    ...range,
    until: Math.min(range.until, rows),
  }));
  let copied = 0;
  await copyEvents(db, environment, { ranges }, () => {
    copied += 1;
  });
  const [rowsMs, copyMs] = [middleMs - startMs, performance.now() - middleMs];
  const isSame = rows === copied ? 'the same events' : 'NOT the same events';
  return `Reading ${grouped(copied)} events: rows ${Math.round(rowsMs)} ms, copy ${Math.round(copyMs)} ms, ${(rowsMs / copyMs).toFixed(1)} times as fast (${isSame}).`;
}

async function train(connection: string, { events }: Size): Promise<Outcome> {
  say(`Training on ${grouped(events)} events …`);
  const script = join(import.meta.dirname, 'training/once.ts');
  const child = spawn(process.execPath, [script, connection, String(events), values.threads], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await outputOf(child);
  return JSON.parse(output.trim().split('\n').at(-1)!) as Outcome;
}

function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`The training ended with code ${code}.`)),
    );
  });
}

function growthOf(results: readonly Result[]) {
  const exponents = (of: readonly Result[]) => {
    const exponent = (name: 'seconds' | 'cpuSeconds' | 'peakRssMb') =>
      growthExponent(of.map((result) => ({ events: result.events, value: result[name] })));
    return {
      seconds: exponent('seconds'),
      cpuSeconds: exponent('cpuSeconds'),
      peakRssMb: exponent('peakRssMb'),
    };
  };
  /** A training learns from at most a million events, so the last step shows the growth of the rest. */
  return { all: exponents(results), lastStep: exponents(results.slice(-2)) };
}

/** Returns the exponent of the best power law, 1 for linear growth; undefined for fewer than two sizes. */
function growthExponent(points: readonly { events: number; value: number }[]): number | undefined {
  const logs = points.map(({ events, value }) => [Math.log(events), Math.log(value)]);
  const [x, y] = [0, 1].map((axis) => logs.reduce((sum, log) => sum + log[axis], 0) / logs.length);
  const spread = logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0);
  if (spread === 0) return undefined;
  return logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0) / spread;
}

function summarise(results: readonly Result[]): string {
  const { all, lastStep } = growthOf(results);
  const exponents = (name: keyof typeof all) =>
    `${all[name]?.toFixed(2) ?? '-'} (last step ${lastStep[name]?.toFixed(2) ?? '-'})`;
  return [
    ...results.map(describe),
    `Growth, as the power of the number of events; 1 is linear: time ${exponents('seconds')}, CPU ${exponents('cpuSeconds')}, memory ${exponents('peakRssMb')}`,
  ].join('\n');
}

function describe({ events, users, items, seconds, cpuSeconds, peakRssMb, stages }: Result): string {
  const parts = Object.entries(stages).map(([stage, s]) => `${stage} ${s.toFixed(1)}`);
  const perMillion = ((cpuSeconds / events) * 1e6).toFixed(1);
  const size = `${grouped(events)} events, ${grouped(users)} users, ${grouped(items)} items`;
  return `${size}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU (${perMillion} s per million events), peak ${peakRssMb} MB\n  ${parts.join(', ')}`;
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1000).toFixed(0);
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function say(text: string): void {
  console.error(text);
}

await main();
