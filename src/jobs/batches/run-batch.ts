/**
 * Runs one batch that this node has claimed, for one turn: gathers its people, then answers part after part. When the turn is
 * over it waits again, behind those that have got less, so that a small batch does not wait for a large one.
 *
 * While the lists of one part are made, the histories of the next are read and the lists of the one before written. What another
 * node has answered is found and left; so after a node was lost the next goes on where it stood.
 */

import type { Logger } from 'pino';
import type { BatchSettings } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import type { History } from '../../ranking/history.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
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
import { type Database, isAway } from '../../repository/database.ts';
import { type Answerer, answerAll, type BatchPlan } from './answer-people.ts';
import { gatherPeople } from './gather-people.ts';
import { createGivingWay } from './give-way.ts';

export type RunBatchOptions = {
  db: Database;
  answerer: Answerer;
  /** Throws when what was asked for cannot be read any more. */
  readPlan(environment: string, request: unknown): BatchPlan;
  /** What was written before the call, by any node, is known here then: the batch may speak of it. */
  catchUp(): Promise<unknown>;
  settingsOf(environment: string): Pick<BatchSettings, 'largest' | 'lifetimeDays'>;
  clock: () => number;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
};

/** Much more often than silence is taken for loss; a batch that was cancelled ends as soon. */
const reportEveryMs = 500;

/** Parts of a turn: 5,000 people, some seconds. */
const partsPerTurn = 25;

/** Of callers and settings; another try would end alike. */
const lasting = new Set(['BODY_INVALID', 'AUDIENCE_UNKNOWN', 'CONFIGURATION_UNKNOWN', 'VARIABLE_MISSING']);

/** The batch was cancelled, or is another node's. */
const isLost = Symbol('lost');

/** @param stopping Of the node: the batch then waits for another one. */
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
    logger.error({ environment, batch_id: batch.batchId, err: error }, 'A batch broke off.');
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
  const peopleCount = await gatherPeople({ db, largest, nowMs: clock(), signal }, batch, source);
  if (!(await recordGathered(db, batch, peopleCount))) throw new Error('Another node has taken the batch.');
}

type Answering = RunBatchOptions & { batch: Batch; plan: BatchPlan; signal: AbortSignal };

type Prepared = BatchPart & { histories: ReadonlyMap<string, History> };

/**
 * Parts of one turn. Returns whether there are no more.
 *
 * @param onStored Told of each part, in their order, when its answers are stored.
 */
async function answerParts(options: Answering, onStored: (part: number) => void): Promise<boolean> {
  const { db, answerer, batch, plan, signal } = options;
  const giveWay = createGivingWay();
  const turnEnd = batch.nextPart + partsPerTurn;
  let storing: Promise<void> = Promise.resolve();
  let preparing = heard(prepare(options, batch.nextPart));
  for (let next = batch.nextPart + 1; next <= turnEnd; next++) {
    const prepared = await preparing;
    if (prepared === undefined) {
      await storing;
      return true;
    }
    const { part, people, histories } = prepared;
    /** Another turn reads histories anew. */
    if (next < turnEnd) preparing = heard(prepare(options, next));
    const made =
      prepared.results ??
      (await answerAll(answerer, plan, JSON.parse(people), { histories, giveWay, signal }));
    await storing;
    storing = heard(
      typeof made === 'string' ? Promise.resolve() : store(options, prepared, JSON.stringify(made)),
    );
    storing = heard(storing.then(() => onStored(part)));
  }
  await storing;
  return (await listParts(db, batch, turnEnd, 1)).length === 0;
}

/** Whoever waits for it hears of its failure; before, nobody complains that it was not heard of. */
function heard<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

/** Undefined after the last part. */
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

/** When somebody was deleted since the part was read, it is made anew without them. */
async function store(options: Answering, prepared: Prepared, results: string): Promise<void> {
  const { db, answerer, batch, plan, signal } = options;
  if (await answerPart(db, batch, prepared, results)) return;
  const again = await prepare(options, prepared.part);
  if (again === undefined || again.results !== null) return;
  const { histories } = again;
  const giveWay = createGivingWay();
  const made = await answerAll(answerer, plan, JSON.parse(again.people), { histories, giveWay, signal });
  await store(options, again, JSON.stringify(made));
}
