/**
 * `npm run benchmark:speed [-- --seconds N] [--json]`: how fast the service is on this machine.
 *
 * Every row: a warm-up; the most requests per second (closed loop); then the latency at half of that rate (open loop). All is
 * told as a ratio to a bare HTTP server of the same run, since machines differ and others use them. See docs/benchmarks.md.
 * `--only events` measures event posts alone, on an empty service.
 * `--only nodes [--database-url URL]` measures 1, 2 and 4 nodes on one database, or on a given one that is empty.
 * `--only search [--data FOLDER] [--items N]` measures search instead: its kernel, beside MiniSearch, and its service.
 * `--only restart [--items N]` measures how soon a filled service is ready again.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import { silentLogger } from '../support/database.ts';
import { drive, type Measured } from './load.ts';
import { measureNodes, toNodesTable } from './nodes.ts';
import { startEcho } from './processes.ts';
import { type Result, toJson, toTable } from './report.ts';
import { createEchoRow, createEventRows, createRows, type Row } from './rows.ts';
import { measureKernels, servedWorld, toKernelTable } from './search.ts';
import { measureRestart } from './search-restart.ts';
import { createSearchRows, startSearchService } from './search-service.ts';
import { startFilledService, startService } from './service.ts';
import { createWorld, eventCount, itemCount, type World } from './world.ts';

const seed = 'speed';
const longestSeconds = 60;

/** Of the time of a row: until then code is being compiled, and a request costs up to three times as much. */
const warmUpShare = 2;

/** More take minutes to fill in. */
const mostItemsRestarted = 100_000;

/** Of the highest rate, for the latencies. */
const latencyLoad = 0.5;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
    data: { type: 'string' },
    'database-url': { type: 'string' },
    items: { type: 'string', default: '1000000' },
  },
});

async function main(): Promise<void> {
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= longestSeconds))
    throw new Error(`--seconds must be above 0 and at most ${longestSeconds}.`);
  if (values.only !== undefined && !['search', 'events', 'nodes', 'restart'].includes(values.only))
    throw new Error('--only knows search, events, nodes and restart, and nothing else yet.');
  if (values.only === 'restart') return measureStarts();
  if (values.only === 'search') return measureSearch(seconds * 1000);
  if (values.only === 'nodes') return measureSharing(seconds * 1000);
  if (values.only === 'events') return measureEvents(seconds * 1000);
  const results = await measureAll(seconds * 1000);
  console.log(values.json ? toJson(results) : `\n${toTable(results)}`);
}

/** Kernels side by side, and the service over HTTP. */
async function measureSearch(durationMs: number): Promise<void> {
  const options = { data: values.data, itemCount: Number(values.items), onStop, say };
  const kernels = await measureKernels(options);
  const echo = await startEcho();
  onStop(echo.stop);
  const yardstickWorld = createWorld(seed, Math.floor(Date.now() / 1000));
  const yardstick = createEchoRow(echo.port, yardstickWorld);
  const results: Result[] = [await measure(yardstick, durationMs)];
  await echo.stop();
  const served = servedWorld(options);
  say(`Filling a service with ${served.name} …`);
  const service = await startSearchService(served);
  onStop(service.stop);
  for (const row of createSearchRows(service, served))
    results.push(await measureBesideEcho(row, yardstickWorld, durationMs));
  await service.stop();
  if (values.json) console.log(JSON.stringify({ kernels, http: JSON.parse(toJson(results)) }));
  else console.log(`\n${toKernelTable(kernels)}\n\n${toTable(results)}`);
}

async function measureEvents(durationMs: number): Promise<void> {
  const world = createWorld(seed, Math.floor(Date.now() / 1000));
  const echo = await startEcho();
  onStop(echo.stop);
  const results: Result[] = [await measure(createEchoRow(echo.port, world), durationMs)];
  await echo.stop();
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  onStop(async () => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startService(dataDir);
  onStop(service.stop);
  for (const row of createEventRows(service, world)) results.push(await measure(row, durationMs));
  await service.stop();
  console.log(values.json ? toJson(results) : `\n${toTable(results)}`);
}

/** Nodes that share a database. */
async function measureSharing(durationMs: number): Promise<void> {
  const world = createWorld(seed, Math.floor(Date.now() / 1000));
  const databaseUrl = values['database-url'] ?? (await startDatabase());
  const results = await measureNodes(databaseUrl, world, durationMs);
  console.log(values.json ? JSON.stringify(results) : `\n${toNodesTable(results)}`);
}

/** Empty, and gone at the end. */
async function startDatabase(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  onStop(async () => rmSync(dataDir, { recursive: true, force: true }));
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  onStop(stop);
  const { user, host, port, database } = connection;
  return `postgres://${user}@${encodeURIComponent(host)}:${port}/${database}`;
}

async function measureAll(durationMs: number): Promise<Result[]> {
  const world = createWorld(seed, Math.floor(Date.now() / 1000));
  const echo = await startEcho();
  onStop(echo.stop);
  const results = [await measure(createEchoRow(echo.port, world), durationMs)];
  await echo.stop();
  say(`Filling a service with ${itemCount} items and ${eventCount} events …`);
  const service = await startFilledService(world);
  onStop(service.stop);
  for (const row of await createRows(service, world))
    results.push(await measureBesideEcho(row, world, durationMs));
  await service.stop();
  return results;
}

/** And, where the row asks for it, the echo at the rate of its latencies. */
async function measureBesideEcho(row: Row, world: World, durationMs: number): Promise<Result> {
  const { withEcho, ...result } = await measure(row, durationMs);
  const ratePerSecond = result.requestsPerSecond * latencyLoad;
  return { ...result, echo: withEcho ? await measureEcho(world, durationMs, ratePerSecond) : undefined };
}

/** What a service that does nothing takes at the same rate, beside the one that was measured, which rests. */
async function measureEcho(world: World, durationMs: number, ratePerSecond: number): Promise<Measured> {
  const echo = await startEcho();
  onStop(echo.stop);
  const { lanes, next } = createEchoRow(echo.port, world);
  await drive({ lanes, next, durationMs: durationMs * warmUpShare, ratePerSecond });
  const measured = await drive({ lanes, next, durationMs, ratePerSecond });
  for (const lane of lanes) lane.close();
  await echo.stop();
  return measured;
}

async function measure(
  { lanes, next, ...row }: Row,
  durationMs: number,
): Promise<Result & Pick<Row, 'withEcho'>> {
  say(`Measuring ${row.title} …`);
  await drive({ lanes, next, durationMs: durationMs * warmUpShare });
  const { requestsPerSecond } = await drive({ lanes, next, durationMs });
  const ratePerSecond = requestsPerSecond * latencyLoad;
  const { p50Ms, p99Ms } = await drive({ lanes, next, durationMs, ratePerSecond });
  for (const lane of lanes) lane.close();
  return { ...row, requestsPerSecond, p50Ms, p99Ms };
}

async function measureStarts(): Promise<void> {
  const count = Math.min(Number(values.items), mostItemsRestarted);
  console.log(JSON.stringify(await measureRestart(count, say)));
}

/** Standard output holds the result alone. */
function say(text: string): void {
  console.error(text);
}

const stops: (() => Promise<void>)[] = [];

function onStop(stop: () => Promise<void>): void {
  stops.push(stop);
}

async function end(code: number): Promise<never> {
  await Promise.allSettled(stops.map((stop) => stop()));
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(130));

try {
  await main();
  await end(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await end(1);
}
