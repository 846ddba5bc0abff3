/**
 * Cost of storing an event in the database when 1, 2 and 4 nodes share it: posts of ten events, to all nodes in turn.
 *
 * A closed loop finds the highest rate. Then, at half the rate of one node, it measures the processor time of Postgres per
 * event, of all servers of a cluster on this machine. It is compared with the cost of the same posts to the first node only,
 * just before and after, because histories grow with every post.
 */

import { readFileSync } from 'node:fs';
import { createDatabase, type Database, query } from '../../src/repository/database.ts';
import { type Drive, drive } from './load.ts';
import { createEventRow, type Effort } from './rows.ts';
import { type Service, startServiceOn } from './service.ts';
import type { World } from './world.ts';

const eventsPerPost = 10;

export type NodesResult = {
  nodes: number;
  /** Highest rate. */
  eventsPerSecond: number;
  /** At the common rate, the worst turn. */
  p99Ms: number;
  /** Per event at the common rate. */
  postgresMicroseconds: number;
  /** Per event when the first node takes all posts. */
  aloneMicroseconds: number;
  commonRate: number;
};

export type NodesOptions = {
  databaseUrl: string;
  /** One measurement each, ascending. */
  nodeCounts: readonly number[];
  world: World;
  durationMs: number;
  effort: Effort;
};

export async function measureNodes({
  databaseUrl,
  nodeCounts,
  ...load
}: NodesOptions): Promise<NodesResult[]> {
  const db = createDatabase(databaseUrl, { poolSize: 2 });
  const results: NodesResult[] = [];
  const services: Service[] = [];
  try {
    for (const nodes of nodeCounts) {
      while (services.length < nodes) services.push(await startServiceOn(databaseUrl, services[0]));
      const commonRate = results[0]?.commonRate;
      results.push({ nodes, ...(await measureOn(db, services, { ...load, commonRate })) });
    }
  } finally {
    await Promise.all(services.map(({ stop }) => stop()));
    await db.close();
  }
  return results;
}

type Load = Pick<NodesOptions, 'world' | 'durationMs' | 'effort'> & { commonRate: number | undefined };

/** In turns: the first node alone, then all nodes. */
const turnCount = 3;

async function measureOn(
  db: Database,
  services: readonly Service[],
  { world, durationMs, effort, commonRate }: Load,
): Promise<Omit<NodesResult, 'nodes'>> {
  const all = createEventRow(services, world, effort);
  const first = createEventRow(services.slice(0, 1), world, effort);
  await drive({ ...all, durationMs });
  const most = await drive({ ...all, durationMs });
  const ratePerSecond = commonRate ?? most.requestsPerSecond / 2;
  const steadily = { durationMs: durationMs / 2, ratePerSecond };
  const alone: Spent[] = [];
  const shared: Spent[] = [];
  for (let turn = 0; turn < turnCount; turn++) {
    alone.push(await measureSpent(db, { ...first, ...steadily }));
    shared.push(await measureSpent(db, { ...all, ...steadily }));
  }
  for (const lane of [...all.lanes, ...first.lanes]) lane.close();
  return {
    eventsPerSecond: most.requestsPerSecond * eventsPerPost,
    p99Ms: Math.max(...shared.map(({ p99Ms }) => p99Ms)),
    postgresMicroseconds: microsecondsOf(shared),
    aloneMicroseconds: microsecondsOf(alone),
    commonRate: ratePerSecond,
  };
}

type Spent = { p99Ms: number; events: number; microseconds: number };

/** Measures after a while under the same load, when earlier events are aggregated. */
async function measureSpent<Request>(db: Database, load: Drive<Request>): Promise<Spent> {
  await drive(load);
  const before = await readProcessors(db);
  const { p99Ms, requestsPerSecond } = await drive(load);
  const after = await readProcessors(db);
  const posts = (requestsPerSecond * load.durationMs) / 1_000;
  return { p99Ms, events: posts * eventsPerPost, microseconds: spentBetween(before, after) };
}

/** Microseconds per event. */
function microsecondsOf(spent: readonly Spent[]): number {
  const sum = (of: (one: Spent) => number) => spent.reduce((total, one) => total + of(one), 0);
  return sum(({ microseconds }) => microseconds) / sum(({ events }) => events);
}

const pidsText = `select pid from pg_stat_activity where backend_type <> 'autovacuum worker'`;
const clusterText = `
select unnest(string_to_array(result, ' '))::int as pid from run_command_on_all_nodes(
  $$select string_agg(pid::text, ' ') from pg_stat_activity where backend_type <> 'autovacuum worker'$$)`;

/** Microseconds of processor time by process. */
async function readProcessors(db: Database): Promise<Map<number, number>> {
  const text = `select exists (select from pg_extension where extname = 'citus') as exists`;
  const [{ exists }] = await query<{ exists: boolean }>(db, '', text, []);
  const rows = await query<{ pid: number }>(db, '', exists ? clusterText : pidsText, []);
  return new Map(rows.map(({ pid }) => [pid, processorTimeOf(pid)]));
}

function spentBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  let spent = 0;
  for (const [pid, microseconds] of after) spent += microseconds - (before.get(pid) ?? 0);
  return spent;
}

/** Returns the CPU time of a single-threaded process in microseconds; Linux counts nanoseconds. */
export function processorTimeOf(pid: number): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1_000;
  } catch {
    /** The process has ended. */
    return 0;
  }
}

export function toNodesTable(results: readonly NodesResult[]): string {
  return results
    .map((result) =>
      [
        `${result.nodes} ${result.nodes === 1 ? 'node ' : 'nodes'}`,
        `${Math.round(result.eventsPerSecond).toLocaleString('en').padStart(8)} events/s`,
        `at ${Math.round(result.commonRate * eventsPerPost).toLocaleString('en')} events/s: p99`,
        `${result.p99Ms.toFixed(0).padStart(4)} ms, Postgres ${result.postgresMicroseconds.toFixed(0)} µs an event`,
        `(×${(result.postgresMicroseconds / result.aloneMicroseconds).toFixed(2)})`,
      ].join('  '),
    )
    .join('\n');
}
