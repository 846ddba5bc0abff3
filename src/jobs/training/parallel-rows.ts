/**
 * Distributes the row-wise stages of a training over threads.
 *
 * Each thread, including the training thread, takes free ranges of rows until none is left; the
 * results are joined in order, as one thread would produce them. The plan is in shared memory. The
 * training thread blocks its event loop: training is one long computation.
 */

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Rows } from '../../ranking/models/arrays/rows.ts';
import { joinRows, type RowStage, type RunRows } from '../../ranking/models/row-stages.ts';

/** Message to a thread: the stage, its plan, and the shared counter of ranges. */
export type RangeTask = {
  number: number;
  stage: string;
  plan: object;
  rowCount: number;
  control: Int32Array;
};
export type RangeResult = { task: number; range: number; rows: Rows };

/** Indexes in `control`: next free range, number of finished ranges, then a flag for each. */
const nextPlace = 0;
const donePlace = 1;
const flagsStart = 2;

/** Short waits for the last range, against scratch memory for each range. */
const rangeCount = 48;
/** Below this, computing rows is faster than distributing them. */
const fewestRows = 2_000;

/** Without a finished range for this long, a thread may have died: compute the ranges here. */
const patienceMs = 60_000;

export type RangeThreads = { runRows: RunRows; close(): Promise<void> };

/** @param threadCount Threads besides the current one. */
export function createRangeThreads(threadCount: number): RangeThreads {
  const threads = Array.from({ length: threadCount }, startThread);
  let taskCount = 0;
  const runRows: RunRows = (stage, plan, rowCount) => {
    if (threads.length === 0 || rowCount < fewestRows) return stage.rows(plan, 0, rowCount);
    const control = new Int32Array(new SharedArrayBuffer(4 * (flagsStart + rangeCount)));
    sharePlan(plan);
    const number = ++taskCount;
    const task: RangeTask = { number, stage: stage.name, plan, rowCount, control };
    for (const { port } of threads) port.postMessage(task);
    const parts = new Array<Rows | undefined>(rangeCount);
    takeRanges({ number, stage, plan, rowCount, control }, ({ range, rows }) => {
      parts[range] = rows;
    });
    awaitRanges(control);
    for (const { port } of threads) collect(port, number, parts);
    return joinRows(parts.map((rows, range) => rows ?? stage.rows(plan, ...boundsOf({ range, rowCount }))));
  };
  return {
    runRows,
    async close() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

function startThread(): { worker: Worker; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./range-worker.ts', import.meta.url), {
    workerData: { port: port2 },
    transferList: [port2],
  });
  /** The current thread then computes its ranges. */
  worker.on('error', () => undefined);
  worker.unref();
  port1.unref();
  return { worker, port: port1 };
}

type Ranges<Plan> = {
  number: number;
  stage: RowStage<Plan>;
  plan: Plan;
  rowCount: number;
  control: Int32Array;
};

/** Computes free ranges until none is left. */
export function takeRanges<Plan>(
  { number, stage, plan, rowCount, control }: Ranges<Plan>,
  give: (result: RangeResult) => void,
): void {
  while (true) {
    const range = Atomics.add(control, nextPlace, 1);
    if (range >= rangeCount) return;
    give({ task: number, range, rows: stage.rows(plan, ...boundsOf({ range, rowCount })) });
    Atomics.store(control, flagsStart + range, 1);
    Atomics.add(control, donePlace, 1);
    Atomics.notify(control, donePlace);
  }
}

function boundsOf({ range, rowCount }: { range: number; rowCount: number }): [start: number, end: number] {
  return [Math.floor((range * rowCount) / rangeCount), Math.floor(((range + 1) * rowCount) / rangeCount)];
}

function awaitRanges(control: Int32Array): void {
  for (let done = Atomics.load(control, donePlace); done < rangeCount; ) {
    if (Atomics.wait(control, donePlace, done, patienceMs) === 'timed-out') return;
    done = Atomics.load(control, donePlace);
  }
}

/** Ignores late results of an earlier task. */
function collect(port: MessagePort, number: number, parts: (Rows | undefined)[]): void {
  for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
    const { task, range, rows } = got.message as RangeResult;
    if (task === number) parts[range] = rows;
  }
}

type Tree = { [name: string]: unknown };

/** Moves a plan's arrays to shared memory one by one, so at most one is held twice. */
function sharePlan(plan: object): void {
  const tree = plan as Tree;
  for (const [name, value] of Object.entries(tree)) {
    if (ArrayBuffer.isView(value)) tree[name] = toShared(value as Int32Array);
    else if (typeof value === 'object' && value !== null) tree[name] = sharedCopy(value);
  }
}

/** Copies nested objects, which other code may own. */
function sharedCopy(value: object): object {
  const copy = { ...value };
  sharePlan(copy);
  return copy;
}

function toShared<T extends Int32Array | Float32Array | Float64Array>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const buffer = new SharedArrayBuffer(array.byteLength);
  const shared = new (array.constructor as new (buffer: SharedArrayBuffer) => T)(buffer);
  shared.set(array);
  return shared;
}
