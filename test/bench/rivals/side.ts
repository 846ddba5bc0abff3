/** One side of a comparison: its processes, and figures under a load. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHttpLane, encodeRequest, type HttpRequest } from '../http-lane.ts';
import { drive } from '../load.ts';
import type { ShopSize } from '../sizes.ts';

/** Figures by their name and unit, such as `p99 ms`; all have two decimal places at most. */
export type Figures = Record<string, number>;

export type Comparison = {
  /** A path or an address; undefined measures the service alone. */
  rival: string | undefined;
  /** Of public data. */
  folder: string | undefined;
  /** Process of a rival that is an address, for its CPU and memory. */
  rivalPid: number | undefined;
  durationMs: number;
  restMs: number;
  size: ShopSize;
};

export type Compare = (comparison: Comparison) => Promise<Record<string, Figures>>;

const laneCount = 32;
/** Of the clock in /proc. */
const ticksPerSecond = 100;

/** Fields of /proc/PID/stat after the name: 1 is the parent, 11 and 12 are the time in the program and in the kernel. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Process IDs of `roots` and their descendants. */
function familyOf(roots: readonly number[]): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat !== undefined) parents.set(Number(name), Number(stat[1]));
  }
  const family = new Set(roots);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

/** CPU time of processes and their descendants that still run. */
export function cpuSecondsOf(roots: readonly number[]): number {
  return familyOf(roots).reduce((sum, pid) => {
    const stat = statOf(pid);
    return sum + (stat === undefined ? 0 : (Number(stat[11]) + Number(stat[12])) / ticksPerSecond);
  }, 0);
}

/** Memory of processes and their descendants, with shared pages counted once. */
export function memoryMbOf(roots: readonly number[]): number {
  return round(familyOf(roots).reduce((sum, pid) => sum + pssKilobytes(pid), 0) / 1_024);
}

/** Its own pages, and its share of those that it shares. */
function pssKilobytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0; // It ended.
  }
}

export type Load = {
  port: number;
  next: () => HttpRequest;
  durationMs: number;
  /** Of the server and what works for it, such as its database. */
  pids: readonly number[];
};

/** Warms up, then measures a closed loop over 32 connections. */
export async function measureLoad({ port, next, durationMs, pids }: Load): Promise<Figures> {
  const lanes = Array.from({ length: laneCount }, () => createHttpLane(port));
  const driving = { lanes, next: () => encodeRequest(next()), durationMs };
  await drive(driving);
  const before = cpuSecondsOf(pids);
  const { requestsPerSecond, p50Ms, p99Ms } = await drive(driving);
  const requests = (requestsPerSecond * durationMs) / 1_000;
  const cpuMicroseconds = ((cpuSecondsOf(pids) - before) * 1e6) / requests;
  for (const lane of lanes) lane.close();
  return {
    ...(pids.length > 0 && { 'CPU µs/request': Math.round(cpuMicroseconds) }),
    'requests/s': Math.round(requestsPerSecond),
    'p50 ms': round(p50Ms),
    'p99 ms': round(p99Ms),
    ...(pids.length > 0 && { 'memory MB': memoryMbOf(pids) }),
  };
}

/** The service and the server of its embedded database. */
export function pidsOf({ pid, dataDir }: { pid: number; dataDir: string }): number[] {
  const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return [pid, Number(postmaster)];
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
