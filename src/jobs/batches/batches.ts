/**
 * Lists for many people at once. Every node takes what waits, one batch at a time, asks for what a schedule has due, and forgets
 * what is past its time.
 */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { BatchSettings } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import {
  type Batch,
  claimBatch,
  deleteBatch,
  endLostBatches,
  fillBatch,
  findBatch,
  insertBatch,
  listExpiredBatches,
} from '../../repository/batches/batches.ts';
import type { Database } from '../../repository/database.ts';
import type { Answerer, BatchPlan } from './answer-people.ts';
import { askForDue } from './due-batches.ts';
import { checkSize, forgetParts, storePeople } from './gather-people.ts';
import { runBatch } from './run-batch.ts';

/** An idle node asks for what waits so often; one that was asked itself knows at once. */
const takeEveryMs = 2_000;
const scheduleEveryMs = 20_000;
const forgetEveryMs = 60_000;
const forgottenAtOnce = 20;
/** Subjects handed over at once. */
const peoplePerPage = 4_000;
const retryAfterSeconds = '30';

export type Batches = {
  start(): void;
  stop(): Promise<void>;
  /** Throws when no list can be made of the plan. @param people Subjects, each once; undefined when the plan has a source. */
  create(environment: string, request: unknown, people: readonly string[] | undefined): Promise<Batch>;
  /** Asks for what is due, without waiting for the next look. */
  askForDue(): Promise<void>;
};

export type BatchesOptions = {
  db: Database;
  /** Names this node, and this start of it. */
  node: string;
  environments: readonly string[];
  settingsOf(environment: string): BatchSettings;
  answerer: Answerer;
  readPlan(environment: string, request: unknown): BatchPlan;
  /** See run-batch.ts. */
  catchUp(): Promise<unknown>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
};

export function createBatches(options: BatchesOptions): Batches {
  const { db, node, environments, settingsOf, answerer, readPlan, clock, logger } = options;
  const taker = createPeriodic({
    async work(signal) {
      const batch = await claimBatch(db, environments, node);
      if (batch === undefined) return;
      await runBatch(options, batch, signal);
      return 'again';
    },
    pauseMs: takeEveryMs,
    complaint: 'No batch could be taken; trying again.',
    logger,
  });
  const lookAtSchedules = async () => {
    for (const name of environments)
      if (await askForDue(db, name, settingsOf(name).schedules, clock())) taker.wake();
  };
  const complaint = 'Batches cannot be kept up; trying again.';
  const loops = [
    taker,
    createPeriodic({ work: lookAtSchedules, pauseMs: scheduleEveryMs, complaint, logger }),
    createPeriodic({ work: () => forgetExpired(options), pauseMs: forgetEveryMs, complaint, logger }),
  ];
  return {
    start() {
      for (const loop of loops) loop.start();
    },
    stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
    async create(environment, request, people) {
      answerer.check(readPlan(environment, request));
      const batchId = randomUUID();
      const { mostAtOnce, largest } = settingsOf(environment);
      /** Before it takes one of the places. */
      if (people) checkSize(people.length, largest);
      const state = people ? 'filling' : 'queued';
      if (!(await insertBatch(db, { batchId, environment, request }, state, mostAtOnce))) throw tooMany();
      if (people) {
        const name = { environment, batchId };
        await fillBatch(db, batchId, await storePeople({ db, largest }, name, pagesOf(people)));
      }
      taker.wake();
      const { requestedAt } = (await findBatch(db, environment, batchId))!;
      /** As it was asked for: a node may have begun or ended it meanwhile. */
      return {
        ...{ batchId, environment, state: 'queued', request, schedule: null, requestedAt },
        ...{ isGathered: people !== undefined, peopleCount: people?.length ?? 0, nextPart: 0 },
        ...{ attempts: 0, node: null, startedAt: null, endedAt: null, expiresAt: null, failure: null },
      };
    },
    askForDue: lookAtSchedules,
  };
}

function* pagesOf(people: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < people.length; start += peoplePerPage)
    yield people.slice(start, start + peoplePerPage);
}

/** The parts first, so that what breaks off is found again. */
async function forgetExpired({ db, environments, settingsOf }: BatchesOptions): Promise<'again' | undefined> {
  for (const name of environments) await endLostBatches(db, name, settingsOf(name).lifetimeDays);
  const expired = await listExpiredBatches(db, forgottenAtOnce);
  for (const batch of expired) {
    await forgetParts(db, batch);
    await deleteBatch(db, batch.batchId);
  }
  return expired.length === forgottenAtOnce ? 'again' : undefined;
}

function tooMany(): DomainError {
  const message = 'Too many batches of the environment wait or run; ask again when one of them has ended.';
  return new DomainError('RATE_LIMITED', message, {
    metadata: { retry_after_seconds: retryAfterSeconds },
  });
}
