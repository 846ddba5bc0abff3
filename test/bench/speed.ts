/**
 * `npm run benchmark:speed [-- --seconds N] [--items N] [--events N] [--users N] [--requests N] [--lanes N] [--json]`: how
 * fast the service is on this machine, with a shop of so many items, events and users, so many different requests of a row, and so many
 * connections that post events (half as many for all else).
 *
 * Every row: a warm-up; the most requests per second (closed loop); then the latency at half of that rate (open loop), five
 * times: the one in the middle, and the worst. All is told as a ratio to a bare HTTP server of the same run, since machines differ and others use them. See docs/benchmarks.md.
 * `--only events` measures event posts alone, on an empty service.
 * `--only lists` measures lists alone: for long histories, and for the visitors of a site. `--threads N`: made by so many threads.
 * `--only beside` measures lists without and beside 2,000 events a second.
 * `--only nodes [--nodes 1,2,4] [--database-url URL]` measures so many nodes on one database, or on a given one that is empty.
 * `--only search [--data FOLDER] [--items N]` measures search instead: its kernel, beside MiniSearch, and its service.
 * `--only restart [--items N] [--starts N]` measures how soon a filled service is ready again.
 * `--rest N`: seconds that a service which was filled for the last two rests before it is measured.
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

/** Of the time of a row: until then code is being compiled, and a request costs up to three times as much. */
const warmUpShare = 2;

/** A million take an hour to fill in and train. */
const defaultRestarted = '100k';

/** Of the highest rate, for the latencies. */
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
    throw new Error(`--only knows ${only.join(', ')}, and nothing else yet.`);
  if (values.only === 'restart') return measureStarts();
  if (values.only === 'search') return measureSearch(seconds * 1000);
  if (values.only === 'nodes') return measureSharing(seconds * 1000);
  if (values.only === 'events') return measureEvents(seconds * 1000);
  const makeRows = values.only === 'lists' ? createListRows : createRows;
  const measureService = values.only === 'beside' ? measureBeside : measureRows(makeRows);
  const results = await measureFilled(measureService, seconds * 1000);
  console.log(values.json ? toJson(results) : `\n${toTable(results)}`);
}

/** Kernels side by side, and the service over HTTP. */
async function measureSearch(durationMs: number): Promise<void> {
  const itemCount = countOf(values.items ?? mostSearched);
  const options = { data: values.data, itemCount, requestCount: effort.requestCount, onStop, say };
  const kernels = await measureKernels(options);
  const echo = await startEcho();
  onStop(echo.stop);
  const yardstickWorld = createShop();
  const yardstick = createEchoRow(echo.port, yardstickWorld, effort);
  const results: Result[] = [await measure(yardstick, durationMs)];
  await echo.stop();
  const served = servedWorld(options);
  say(`Filling a service with ${served.name} …`);
  const service = await startSearchService(served, restMs);
  onStop(service.stop);
  for (const row of createSearchRows(service, served, effort))
    results.push(await measureBesideEcho(row, yardstickWorld, durationMs));
  await service.stop();
  if (values.json) console.log(JSON.stringify({ kernels, http: JSON.parse(toJson(results)) }));
  else console.log(`\n${toKernelTable(kernels)}\n\n${toTable(results)}`);
}

async function measureEvents(durationMs: number): Promise<void> {
  const world = createShop();
  const echo = await startEcho();
  onStop(echo.stop);
  const results: Result[] = [await measure(createEchoRow(echo.port, world, effort), durationMs)];
  await echo.stop();
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-'));
  onStop(async () => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startService(dataDir);
  onStop(service.stop);
  for (const row of createEventRows(service, world, effort)) results.push(await measure(row, durationMs));
  await service.stop();
  console.log(values.json ? toJson(results) : `\n${toTable(results)}`);
}

/** Nodes that share a database. */
async function measureSharing(durationMs: number): Promise<void> {
  const world = createShop();
  const databaseUrl = values['database-url'] ?? (await startDatabase());
  const nodeCounts = values.nodes.split(',').map(countOf);
  const options: NodesOptions = { databaseUrl, nodeCounts, world, durationMs, effort };
  const results = await measureNodes(options);
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

type MakeRows = (service: Service, world: World, effort: Effort) => Row[] | Promise<Row[]>;
type MeasureService = typeof measureBeside;

/** Row by row. */
function measureRows(makeRows: MakeRows): MeasureService {
  return async (service, world, given, durationMs) => {
    const results: Result[] = [];
    for (const row of await makeRows(service, world, given))
      results.push(await measureBesideEcho(row, world, durationMs));
    return results;
  };
}

async function measureFilled(measureService: MeasureService, durationMs: number): Promise<Result[]> {
  const world = createShop();
  const echo = await startEcho();
  onStop(echo.stop);
  const results = [await measure(createEchoRow(echo.port, world, effort), durationMs)];
  await echo.stop();
  say(`Filling a service with ${world.size.items} items and ${world.size.events} events …`);
  const service = await startFilledService(world, values.threads);
  onStop(service.stop);
  results.push(...(await measureService(service, world, effort, durationMs)));
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

/** Standard output holds the result alone. */
function say(text: string): void {
  console.error(text);
}

const stops: (() => Promise<void>)[] = [];

function onStop(stop: () => Promise<void>): void {
  stops.push(stop);
}

async function end(code: number): Promise<never> {
  /** The last one first: a server is stopped by what lies in its folder. */
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
