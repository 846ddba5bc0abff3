/**
 * One attacker with many connections, and the visitors of a site: a service with a catalogue, histories and a training.
 * During the attack, every visitor must get the right list in time, memory must not grow, and the database may grow only a
 * little with each hostile request.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findRunning } from '../../../src/repository/embedded/embedded-postgres.ts';
import { residentKilobytes } from '../../support/resident-memory.ts';
import { type ServedProcess, startServedProcess } from '../../support/served-process.ts';
import type { AttackerReport, AttackerSettings } from './attacker.ts';
import { hostileKinds } from './hostile-requests.ts';
import { fillSite, siteDeployment } from './site.ts';
import { type Site, startVisitors, type VisitorLane } from './visitors.ts';

export type AttackOptions = {
  seconds: number;
  connections: number;
  seed: number;
  /** Address of the attacker; visitors have 127.0.0.1. */
  address: string;
  /** Kinds with this text in their name. */
  only: string;
  itemCount: number;
};

const environment = 'shop';

const longestP99Ms = 250;
/** Resident memory may grow by so much between the first and the last third of the attack. */
const mostGrowth = 1.15;
const mostBytesPerRequest = 1_000;
const calmSeconds = 5;

export async function runAttack(options: AttackOptions): Promise<string[]> {
  const served = await startServedProcess({ deployment: `environments:\n${siteDeployment(environment)}` });
  try {
    const site = await fillSite(served, environment, options.itemCount);
    const calm = await watch(site, calmSeconds * 1_000);
    report('Before the attack', calm);
    const bytesBefore = await databaseBytes(served);
    const kinds = hostileKinds.filter((kind) => kind.includes(options.only));
    const lane = startVisitors(site);
    const memory = watchMemory(served.pid);
    const answers = await runAttacker({ ...options, baseUrl: served.baseUrl, environment, kinds });
    await lane.stop();
    const growth = memory.stop();
    report('During the attack', lane);
    const sent = reportAnswers(answers);
    const perRequest = (await databaseBytes(served)) - bytesBefore;
    console.log(
      `Memory ${growth.firstMb} → ${growth.lastMb} MB; ${(perRequest / sent).toFixed(0)} bytes of the database a hostile request.`,
    );
    const after = await watch(site, calmSeconds * 1_000);
    report('After the attack', after);
    return [
      ...[calm, lane, after].flatMap(({ faults }) => faults),
      ...(at(lane, 0.99) > longestP99Ms ? [`A visitor waited ${at(lane, 0.99)} ms at p99.`] : []),
      ...(growth.lastMb > growth.firstMb * mostGrowth ? ['Memory grew during the attack.'] : []),
      ...(perRequest / sent > mostBytesPerRequest ? ['The database grew too much.'] : []),
    ];
  } finally {
    await served.remove();
  }
}

async function watch(site: Site, ms: number): Promise<VisitorLane> {
  const lane = startVisitors(site);
  await delay(ms);
  await lane.stop();
  return lane;
}

export async function runAttacker(settings: AttackerSettings): Promise<AttackerReport> {
  const program = new URL('./attacker.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const told = await text(child.stdout);
  await exit;
  return JSON.parse(told);
}

function reportAnswers(answers: AttackerReport): number {
  let sent = 0;
  for (const [kind, byStatus] of Object.entries(answers)) {
    sent += Object.values(byStatus).reduce((sum, count) => sum + count, 0);
    console.log(`  ${kind}: ${JSON.stringify(byStatus)}`);
  }
  console.log(`${sent} hostile requests.`);
  return sent;
}

function report(title: string, lane: VisitorLane): void {
  console.log(
    `${title}: ${lane.times.length} lists of visitors, p50 ${at(lane, 0.5)}, p99 ${at(lane, 0.99)}, longest ${at(lane, 1)} ms, ${lane.faults.length} faults.`,
  );
}

function at({ times }: VisitorLane, share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(share * (sorted.length - 1))]);
}

/** Compares the median of the second third of the samples with that of the last: the first third warms up. */
function watchMemory(pid: number) {
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(residentKilobytes(pid) / 1_024), 500);
  const median = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >>> 1] ?? 0);
  return {
    stop() {
      clearInterval(timer);
      const third = Math.floor(samples.length / 3);
      return { firstMb: median(samples.slice(third, 2 * third)), lastMb: median(samples.slice(2 * third)) };
    },
  };
}

/** Rows deleted within the hour: lists for paging, and requests for explanations. */
const shortLived = ['lists', 'recorded_requests'];

/** Bytes of the tables with permanent rows. */
async function databaseBytes({ dataDir }: ServedProcess): Promise<number> {
  const client = new pg.Client(findRunning(dataDir)!);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname = 'public' and c.relname <> all($1)`,
      [shortLived],
    );
    return rows[0].bytes;
  } finally {
    await client.end();
  }
}
