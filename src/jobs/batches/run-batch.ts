/**
 * Runs one turn of a batch that this node has claimed: gathers its subjects, then answers part
 * after part. After the turn the batch waits behind batches with fewer turns, so that a small batch
 * does not wait for a large one.
 *
 * While the lists of one part are made, the histories of the next are read and the lists of the
 * previous one are written. Stored answers are kept, so that another node continues after a node is
 * lost.
 */

import type { Logger } from 'pino';
import type { BatchSettings } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import type { History } from '../../ranking/history.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { createSlicer } from '../../ranking/runtime/slices.ts';
import {
  answerPart,
  type BatchPart,
  listParts,
  type PartPeople,
} from '../../repository/batches/batch-parts.ts';
import {
  type Batch,
  endBatch,
  postponeBatch,
  recordGathered,
  reportBatch,
  retryBatch,
  returnBatch,
} from '../../repository/batches/batches.ts';
import type { Database } from '../../repository/database.ts';
import { isAway } from '../../repository/failures.ts';
import { type Answerer, answerAll, type BatchPlan } from './answer-subjects.ts';
import { gatherSubjects } from './gather-subjects.ts';

export type RunBatchOptions = {
  db: Database;
  answerer: Answerer;
  /** Throws a DomainError when the stored request can no longer be read. */
  readPlan(environment: string, request: unknown): BatchPlan;
  /** Applies everything that any node wrote before the call, because the batch may depend on it. */
  catchUp(): Promise<unknown>;
  settingsOf(environment: string): Pick<BatchSettings, 'largest' | 'lifetimeDays'>;
  clock: () => number;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
};

/** Well below the silence after which a node is lost; cancelled batches end as soon. */
const reportEveryMs = 500;

/** 5,000 subjects, which take some seconds. */
const partsPerTurn = 25;

/** Failures of requests and settings, where a retry would fail again. */
const lasting = new Set(['BODY_INVALID', 'AUDIENCE_UNKNOWN', 'CONFIGURATION_UNKNOWN', 'VARIABLE_MISSING']);

/** The batch was cancelled, or another node has taken it. */
const isLost = Symbol('lost');

/** @param stopping Aborted when the node stops; the batch then waits for another node. */
export async function runBatch(options: RunBatchOptions, batch: Batch, stopping: AbortSignal): Promise<void> {
  const { db, settingsOf, logger } = options;
  const { environment } = batch;
  const { lifetimeDays } = settingsOf(environment);
  const losing = new AbortController();
  let nextPart = batch.nextPart;
  const reporting = createPeriodic({
    async work() {
      if (!(await reportBatch(db, batch, nextPart))) losing.abort(isLost);
    },
    pauseMs: reportEveryMs,
    complaint: 'The progress of a batch cannot be recorded; trying again.',
    facts: { environment, batch_id: batch.batchId },
    logger,
  });
  reporting.start();
  const signal = AbortSignal.any([stopping, losing.signal]);
  try {
    const plan = options.readPlan(environment, batch.request);
    await options.catchUp();
    await gather(options, batch, plan, signal);
    const isWhole = await answerParts({ ...options, batch, plan, signal }, (part) => {
      nextPart = part + 1;
    });
    await reporting.stop();
    await reportBatch(db, batch, nextPart);
    if (!isWhole) return await returnBatch(db, batch);
    await endBatch(db, batch, { state: 'done' }, lifetimeDays);
    logger.info({ environment, batch_id: batch.batchId, parts: nextPart }, 'A batch is done.');
  } catch (error) {
    if (losing.signal.aborted) return;
    if (stopping.aborted) return await returnBatch(db, batch);
    const failure = String((error as Error).message ?? error).split('\n')[0];
    if (error instanceof DomainError && lasting.has(error.reason))
      await endBatch(db, batch, { state: 'failed', failure }, lifetimeDays);
    else if (isAway(error)) await postponeBatch(db, batch);
    else await retryBatch(db, batch, failure, lifetimeDays);
    logger.error({ environment, batch_id: batch.batchId, err: error }, 'A batch was interrupted.');
  } finally {
    await reporting.stop();
  }
}

async function gather(
  { db, settingsOf, clock }: RunBatchOptions,
  batch: Batch,
  { source }: BatchPlan,
  signal: AbortSignal,
): Promise<void> {
  if (batch.isGathered || source === undefined) return;
  const { largest } = settingsOf(batch.environment);
  const peopleCount = await gatherSubjects({ db, largest, nowMs: clock(), signal }, batch, source);
  if (!(await recordGathered(db, batch, peopleCount))) throw new Error('Another node has taken the batch.');
}

type Answering = RunBatchOptions & { batch: Batch; plan: BatchPlan; signal: AbortSignal };

type Prepared = BatchPart & { histories: ReadonlyMap<string, History> };

/**
 * Answers the parts of one turn; returns whether the batch is complete.
 *
 * @param onStored Called with each part, in order, when its answers are stored.
 */
async function answerParts(options: Answering, onStored: (part: number) => void): Promise<boolean> {
  const { db, answerer, batch, plan, signal } = options;
  const yieldSlice = createSlicer();
  const turnEnd = batch.nextPart + partsPerTurn;
  let storing: Promise<void> = Promise.resolve();
  let preparing = handled(prepare(options, batch.nextPart));
  for (let next = batch.nextPart + 1; next <= turnEnd; next++) {
    const prepared = await preparing;
    if (prepared === undefined) {
      await storing;
      return true;
    }
    const { part, people, histories } = prepared;
    if (next < turnEnd) preparing = handled(prepare(options, next));
    const made =
      prepared.results ??
      (await answerAll(answerer, plan, JSON.parse(people), { histories, yieldSlice, signal }));
    await storing;
    const stored = typeof made === 'string' ? undefined : store(options, prepared, JSON.stringify(made));
    storing = handled(Promise.resolve(stored).then(() => onStored(part)));
  }
  await storing;
  return (await listParts(db, batch, turnEnd, 1)).length === 0;
}

/** Prevents an unhandled-rejection warning until the promise is awaited. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

/** Reads a part and its histories; undefined after the last part. */
async function prepare(
  { db, answerer, batch, plan }: Answering,
  part: number,
): Promise<Prepared | undefined> {
  const [found] = await listParts(db, batch, part, 1);
  if (found === undefined) return undefined;
  if (found.results !== null) return { ...found, histories: new Map() };
  const people = (JSON.parse(found.people) as PartPeople).filter((subject) => subject !== null);
  return { ...found, histories: await answerer.read(plan, people) };
}

/** Stores a part; makes it again when a subject of it was deleted since it was read. */
async function store(options: Answering, prepared: Prepared, results: string): Promise<void> {
  const { db, answerer, batch, plan, signal } = options;
  if (await answerPart(db, batch, prepared, results)) return;
  const again = await prepare(options, prepared.part);
  if (again === undefined || again.results !== null) return;
  const { histories } = again;
  const yieldSlice = createSlicer();
  const made = await answerAll(answerer, plan, JSON.parse(again.people), { histories, yieldSlice, signal });
  await store(options, again, JSON.stringify(made));
}
