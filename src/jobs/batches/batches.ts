/** Batches: each node runs waiting ones, requests scheduled ones, deletes expired ones. */

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
import type { Answerer, BatchPlan } from './answer-subjects.ts';
import { askForDue } from './due-batches.ts';
import { checkSize, forgetParts, storeSubjects } from './gather-subjects.ts';
import { runBatch } from './run-batch.ts';

/** Between two looks for waiting batches; a node that receives a request looks at once. */
const takeEveryMs = 2_000;
const scheduleEveryMs = 20_000;
const forgetEveryMs = 60_000;
const forgottenAtOnce = 20;
const subjectsPerPage = 4_000;
const retryAfterSeconds = '30';

export type Batches = {
  start(): void;
  stop(): Promise<void>;
  /**
   * @param subjects Different subjects; undefined when the plan has a source.
   * @throws A DomainError when no list can be made for the plan. RATE_LIMITED when too many batches
   *   wait or run.
   */
  create(environment: string, request: unknown, subjects: readonly string[] | undefined): Promise<Batch>;
  /** Requests scheduled batches that are due now. */
  askForDue(): Promise<void>;
};

export type BatchesOptions = {
  db: Database;
  /** Identifies this process. */
  node: string;
  environments: readonly string[];
  settingsOf(environment: string): BatchSettings;
  answerer: Answerer;
  readPlan(environment: string, request: unknown): BatchPlan;
  /** See RunBatchOptions. */
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
    complaint: 'Waiting batches could not be read; trying again.',
    logger,
  });
  const lookAtSchedules = async () => {
    for (const name of environments)
      if (await askForDue(db, name, settingsOf(name).schedules, clock())) taker.wake();
  };
  const complaint = 'Scheduled or expired batches could not be processed; trying again.';
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
    async create(environment, request, subjects) {
      answerer.check(readPlan(environment, request));
      const batchId = randomUUID();
      const { mostAtOnce, largest } = settingsOf(environment);
      /** Checked first, so that a batch that is too large takes no place. */
      if (subjects) checkSize(subjects.length, largest);
      const state = subjects ? 'filling' : 'queued';
      if (!(await insertBatch(db, { batchId, environment, request }, state, mostAtOnce))) throw tooMany();
      if (subjects) {
        const name = { environment, batchId };
        await fillBatch(db, batchId, await storeSubjects({ db, largest }, name, pagesOf(subjects)));
      }
      taker.wake();
      const { requestedAt } = (await findBatch(db, environment, batchId))!;
      /** The state at the request, although a node may have begun or ended the batch meanwhile. */
      return {
        ...{ batchId, environment, state: 'queued', request, schedule: null, requestedAt },
        ...{ isGathered: subjects !== undefined, peopleCount: subjects?.length ?? 0, nextPart: 0 },
        ...{ attempts: 0, node: null, startedAt: null, endedAt: null, expiresAt: null, failure: null },
      };
    },
    askForDue: lookAtSchedules,
  };
}

function* pagesOf(subjects: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < subjects.length; start += subjectsPerPage)
    yield subjects.slice(start, start + subjectsPerPage);
}

/** Deletes the parts first, so that an interrupted deletion is found again. */
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
  const message = 'Too many batches of the environment wait or run; try again when one of them has ended.';
  return new DomainError('RATE_LIMITED', message, {
    metadata: { retry_after_seconds: retryAfterSeconds },
  });
}
