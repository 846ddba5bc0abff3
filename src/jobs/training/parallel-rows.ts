/**
 * Several threads share the stages of a training that are made row by row.
 *
 * The rows are cut into ranges; every thread, the training thread among them, takes the next free range until none is left, and
 * the tables of the ranges are joined in order, so that the result is that of one thread. The plan lies in shared memory and is
 * not copied for each thread. The training thread waits without its event loop: training is one long computation.
 */

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Rows } from '../../ranking/models/arrays/rows.ts';
import { joinRows, type RowStage, type RunRows } from '../../ranking/models/row-stages.ts';

/** What a thread is told: which stage, on which plan, and where the ranges are given out. */
export type RangeTask = {
  number: number;
  stage: string;
  plan: object;
  rowCount: number;
  control: Int32Array;
};
export type RangeResult = { task: number; range: number; rows: Rows };

/** Places in `control`: the next free range, how many are done, then a flag for each. */
const nextPlace = 0;
const donePlace = 1;
const flagsStart = 2;

/** Small enough that no thread waits long for the last one, large enough for a range's scratch memory to be worth it. */
const rangeCount = 48;
/** Fewer rows are made faster than they are handed out. */
const fewestRows = 2_000;

/** A thread that has died never ends its ranges; after so long without any ended one they are made here. */
const patienceMs = 60_000;

export type RangeThreads = { runRows: RunRows; close(): Promise<void> };

/** @param threadCount Threads besides this one. */
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
  /** Its ranges are then made here. */
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

/** Makes one free range after the other until none is left. */
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

/** What comes late, of a task that was not waited for, is left out. */
function collect(port: MessagePort, number: number, parts: (Rows | undefined)[]): void {
  for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
    const { task, range, rows } = got.message as RangeResult;
    if (task === number) parts[range] = rows;
  }
}

type Tree = { [name: string]: unknown };

/** Moves a plan's arrays to shared memory, one by one, so that at most one of them is held twice. */
function sharePlan(plan: object): void {
  const tree = plan as Tree;
  for (const [name, value] of Object.entries(tree)) {
    if (ArrayBuffer.isView(value)) tree[name] = toShared(value as Int32Array);
    else if (typeof value === 'object' && value !== null) tree[name] = sharedCopy(value);
  }
}

/** Other objects may belong to somebody else, who keeps them as they are. */
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
