/**
 * `npm run benchmark:speed [-- --seconds N] [--items N] [--events N] [--users N] [--requests N] [--lanes N] [--json]`:
 * measures the speed of the service, with a shop of so many items, events and users, so many distinct requests per row, and
 * so many connections that post events (half as many for other requests).
 *
 * Each row has a warm-up, the highest rate (closed loop), and the latency at half of it (open loop), five times: the middle
 * one and the worst. Ratios are relative to the echo, a bare HTTP server in the same run. See docs/benchmarks.md.
 *
 * `--only events` measures event posts, on an empty service.
 * `--only lists` measures lists, for long histories and for the visitors of a site; `--threads N` sets the threads.
 * `--only beside` measures lists without and during 2,000 events a second.
 * `--only nodes [--nodes 1,2,4] [--database-url URL]` measures so many nodes on one database, or on a given empty one.
 * `--only search [--data FOLDER] [--items N]` measures search: its kernel, MiniSearch, and its service.
 * `--only restart [--items N] [--starts N]` measures starts of a filled service.
 * `--rest N`: pause in seconds between filling and measuring, for the last two.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import { silentLogger } from '../support/database.ts';
import { measureBeside } from './beside.ts';
import { drive, type Latencies, measureLatencies } from './load.ts';
import { measureNodes, type NodesOptions, toNodesTable } from './nodes.ts';
import { startEcho } from './processes.ts';
import { type Result, toJson, toTable } from './report.ts';
import { createEchoRow, createEventRows, createListRows, createRows, type Effort, type Row } from './rows.ts';
import { measureKernels, servedWorld, toKernelTable } from './search.ts';
import { measureRestart } from './search-restart.ts';
import { createSearchRows, startSearchService } from './search-service.ts';
import { type Service, startFilledService, startService } from './service.ts';
import { countOf, defaultLanes, shopOptions, shopSizeOf } from './sizes.ts';
import { createWorld, type World } from './world.ts';

const seed = 'speed';
const longestSeconds = 60;
const mostSearched = '1M';

/** Duration of the warm-up, as a multiple of a row: before it, code is not compiled and costs up to three times as much. */
const warmUpShare = 2;

/** A million items would take an hour to import and train. */
const defaultRestarted = '100k';

/** Share of the highest rate at which latencies are measured. */
const latencyLoad = 0.5;

const only = ['lists', 'search', 'events', 'beside', 'nodes', 'restart'];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
    threads: { type: 'string' },
    data: { type: 'string' },
    'database-url': { type: 'string' },
    nodes: { type: 'string', default: '1,2,4' },
    starts: { type: 'string', default: '3' },
    rest: { type: 'string', default: '15' },
    requests: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: defaultLanes },
    ...shopOptions,
    items: { type: 'string' },
  },
});

const effort: Effort = { requestCount: countOf(values.requests), laneCount: countOf(values.lanes) };
const restMs = Number(values.rest) * 1_000;

async function main(): Promise<void> {
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= longestSeconds))
    throw new Error(`--seconds must be above 0 and at most ${longestSeconds}.`);
  if (values.only !== undefined && !only.includes(values.only))
    throw new Error(`Unknown --only. Expected one of ${only.join(', ')}.`);
  if (values.only === 'restart') return measureStarts();
  if (values.only === 'search') return measureSearch(seconds * 1000);
  if (values.only === 'nodes') return measureSharing(seconds * 1000);
  if (values.only === 'events') return measureEvents(seconds * 1000);
  const makeRows = values.only === 'lists' ? createListRows : createRows;
  const measureService = values.only === 'beside' ? measureBeside : measureRows(makeRows);
  const results = await measureFilled(measureService, seconds * 1000);
  console.log(values.json ? toJson(results) : `\n${toTable(results)}`);
}

/** Measures the kernels, and the service over HTTP. */
async function measureSearch(durationMs: number): Promise<void> {
  const itemCount = countOf(values.items ?? mostSearched);
  const options = { data: values.data, itemCount, requestCount: effort.requestCount, onStop, say };
  const kernels = await measureKernels(options);
  const echoWorld = createShop();
  const results = [await measureEchoRow(echoWorld, durationMs)];
  const served = servedWorld(options);
  say(`Filling a service with ${served.name} …`);
  const service = await startSearchService(served, restMs);
  onStop(service.stop);
  for (const row of createSearchRows(service, served, effort))
    results.push(await measureWithEcho(row, echoWorld, durationMs));
  await service.stop();
  if (values.json) console.log(JSON.stringify({ kernels, http: JSON.parse(toJson(results)) }));
  else console.log(`\n${toKernelTable(kernels)}\n\n${toTable(results)}`);
}

async function measureEvents(durationMs: number): Promise<void> {
  const world = createShop();
  const results = [await measureEchoRow(world, durationMs)];
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  onStop(async () => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startService(dataDir);
  onStop(service.stop);
  for (const row of createEventRows(service, world, effort)) results.push(await measure(row, durationMs));
  await service.stop();
  console.log(values.json ? toJson(results) : `\n${toTable(results)}`);
}

/** Measures nodes that share a database. */
async function measureSharing(durationMs: number): Promise<void> {
  const world = createShop();
  const databaseUrl = values['database-url'] ?? (await startDatabase());
  const nodeCounts = values.nodes.split(',').map(countOf);
  const options: NodesOptions = { databaseUrl, nodeCounts, world, durationMs, effort };
  const results = await measureNodes(options);
  console.log(values.json ? JSON.stringify(results) : `\n${toNodesTable(results)}`);
}

/** Starts an empty database, which is removed at the end. */
async function startDatabase(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  onStop(async () => rmSync(dataDir, { recursive: true, force: true }));
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  onStop(stop);
  const { user, host, port, database } = connection;
  return `postgres://${user}@${encodeURIComponent(host)}:${port}/${database}`;
}

type MakeRows = (service: Service, world: World, effort: Effort) => Row[] | Promise<Row[]>;
type MeasureService = typeof measureBeside;

function measureRows(makeRows: MakeRows): MeasureService {
  return async (service, world, given, durationMs) => {
    const results: Result[] = [];
    for (const row of await makeRows(service, world, given))
      results.push(await measureWithEcho(row, world, durationMs));
    return results;
  };
}

async function measureFilled(measureService: MeasureService, durationMs: number): Promise<Result[]> {
  const world = createShop();
  const results = [await measureEchoRow(world, durationMs)];
  say(`Filling a service with ${world.size.items} items and ${world.size.events} events …`);
  const service = await startFilledService(world, values.threads);
  onStop(service.stop);
  results.push(...(await measureService(service, world, effort, durationMs)));
  await service.stop();
  return results;
}

/** Measures a row and, if the row asks for it, the echo at the same rate. */
async function measureWithEcho(row: Row, world: World, durationMs: number): Promise<Result> {
  const { withEcho, ...result } = await measure(row, durationMs);
  const ratePerSecond = result.requestsPerSecond * latencyLoad;
  return { ...result, echo: withEcho ? await measureEcho(world, durationMs, ratePerSecond) : undefined };
}

/** Measures the highest rate of the echo. */
async function measureEchoRow(world: World, durationMs: number): Promise<Result> {
  const echo = await startEcho();
  onStop(echo.stop);
  const result = await measure(createEchoRow(echo.port, world, effort), durationMs);
  await echo.stop();
  return result;
}

/** Measures the echo at a rate, while the measured service is idle. */
async function measureEcho(world: World, durationMs: number, ratePerSecond: number): Promise<Latencies> {
  const echo = await startEcho();
  onStop(echo.stop);
  const { lanes, next } = createEchoRow(echo.port, world, effort);
  await drive({ lanes, next, durationMs: durationMs * warmUpShare, ratePerSecond });
  const latencies = await measureLatencies({ lanes, next, durationMs, ratePerSecond });
  for (const lane of lanes) lane.close();
  await echo.stop();
  return latencies;
}

async function measure(
  { lanes, next, ...row }: Row,
  durationMs: number,
): Promise<Result & Pick<Row, 'withEcho'>> {
  say(`Measuring ${row.title} …`);
  await drive({ lanes, next, durationMs: durationMs * warmUpShare });
  const { requestsPerSecond } = await drive({ lanes, next, durationMs });
  const ratePerSecond = requestsPerSecond * latencyLoad;
  const latencies = await measureLatencies({ lanes, next, durationMs, ratePerSecond });
  for (const lane of lanes) lane.close();
  return { ...row, ...latencies, requestsPerSecond };
}

async function measureStarts(): Promise<void> {
  const itemCount = countOf(values.items ?? defaultRestarted);
  const startCount = countOf(values.starts);
  console.log(JSON.stringify(await measureRestart({ itemCount, startCount, restMs, say })));
}

function createShop(): World {
  const size = shopSizeOf({ ...values, items: values.items ?? shopOptions.items.default });
  return createWorld(seed, Math.floor(Date.now() / 1000), size);
}

/** Standard output has only the result. */
function say(text: string): void {
  console.error(text);
}

const stops: (() => Promise<void>)[] = [];

function onStop(stop: () => Promise<void>): void {
  stops.push(stop);
}

async function end(code: number): Promise<never> {
  /** In reverse: stopping a server needs its folder. */
  for (const stop of stops.toReversed()) await stop().catch(() => undefined);
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
