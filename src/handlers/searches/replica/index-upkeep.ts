/**
 * Upkeep of the search indexes: fills them at the start, from snapshots as far as texts are
 * unchanged, merges them in the background a slice at a time, and saves snapshots, by whichever
 * node comes first.
 */

import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import type { ServingModels } from '../../../ranking/environment/serving-models.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import { nextTurn } from '../../../ranking/runtime/slices.ts';
import type { Database } from '../../../repository/database.ts';
import {
  findSearchSnapshot,
  findSnapshotMoment,
  saveSearchSnapshot,
} from '../../../repository/search/search-snapshots.ts';
import { createLateIndexing } from './late-indexing.ts';

/** Pause when there is nothing to merge. */
const idleMs = 500;

/** Saves when the last snapshot of any node is this old and this share was analysed since. */
const savePauseMs = 10 * 60_000;
const changedShare = 0.02;
/** After a bulk load, which is over when nothing was analysed between two checks, it is saved sooner. */
const loadPauseMs = 60_000;
const loadedShare = 0.3;
const lookPauseMs = 5_000;
/** While this share is analysed between two checks, a load is under way, and a snapshot would lack the rest. */
const loadingShare = 0.1;
/** Smaller indexes are built in less time than a snapshot takes to read. */
const leastDocuments = 1_000;

/** New texts that a start waits for, a second or two; the others are indexed while lists are served. */
const mostNewAtStart = 20_000;

/** Completions are ordered again for new models this often at most, but at once after the first models. */
const orderPauseMs = 10 * 60_000;

export type IndexUpkeep = {
  apply(environment: string, itemIndex: number, document: Readonly<Record<string, unknown>>): void;
  /** Restores snapshots, before the first `apply`. */
  restore(): Promise<void>;
  /** Makes all items found once the catalogue is complete, and begins to work in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Items that no search finds yet. */
  readonly leftCount: number;
};

export type IndexUpkeepOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  clock: () => number;
  logger: Logger;
  /** New texts that a start waits for [20,000]. */
  mostAtStart?: number;
};

async function restoreIndex(
  { db, logger }: Pick<IndexUpkeepOptions, 'db' | 'logger'>,
  [environment, { searchIndex }]: readonly [string, ServingEnvironment],
  signal: AbortSignal,
): Promise<void> {
  try {
    const snapshot = await findSearchSnapshot(db, environment, searchIndex.shape);
    if (snapshot) await drain(searchIndex.restore(snapshot), signal);
  } catch (error) {
    logger.warn({ environment, err: error }, 'The saved search index cannot be used; rebuilding it.');
  }
}

export function createIndexUpkeep(options: IndexUpkeepOptions): IndexUpkeep {
  const { db, environments, clock, logger, mostAtStart = mostNewAtStart } = options;
  const stopping = new AbortController();
  const late = createLateIndexing({ db, environments, logger, signal: stopping.signal });
  const saver = createSnapshotSaver(options, stopping.signal);
  /** The models that ordered each index's completions, and when. */
  const orders = new Map<string, { models: ServingModels; atMs: number }>();
  let isFilling = true;
  let saving: Promise<void> = Promise.resolve();
  let nextSaveMs = 0;

  /** Runs slices that order completions by the present models; ends early when the service stops. */
  const order = async (name: string, { models }: ServingEnvironment, slices: Generator<void>) => {
    orders.set(name, { models, atMs: clock() });
    await drain(slices, stopping.signal).catch((error) => {
      if (!stopping.signal.aborted) throw error;
    });
  };
  const orderAnew = async () => {
    for (const [name, environment] of environments) {
      const { models, atMs } = orders.get(name)!;
      const isOld = models.byteLength === 0 || clock() - atMs >= orderPauseMs;
      if (environment.models !== models && isOld)
        await order(name, environment, environment.searchIndex.reorder());
    }
  };
  const looking = createPeriodic({
    async work() {
      await late.run();
      const indexes = [...environments.values()].map(({ searchIndex }) => searchIndex);
      if (indexes.map((index) => index.maintain()).some(Boolean)) return 'again';
      if (clock() >= nextSaveMs) {
        nextSaveMs = clock() + lookPauseMs;
        saving = saving.then(saver.saveDue);
      }
      return orderAnew();
    },
    ...{ pauseMs: idleMs, firstPauseMs: 0, logger },
    complaint: 'The search index could not be updated; trying again.',
  });

  return {
    apply(name, itemIndex, document) {
      const { searchIndex } = environments.get(name)!;
      if (!isFilling) searchIndex.apply(itemIndex, document);
      else if (searchIndex.analysedCount < mostAtStart) searchIndex.fill(itemIndex, document);
      else if (!searchIndex.adopt(itemIndex, document)) late.leave(name);
    },
    async restore() {
      const restored = Array.from(environments, (named) => restoreIndex(options, named, stopping.signal));
      await Promise.all(restored);
    },
    async start() {
      isFilling = false;
      for (const [name, environment] of environments)
        await order(name, environment, environment.searchIndex.catchUp());
      looking.start();
    },
    async stop() {
      stopping.abort();
      await looking.stop();
      await saving;
    },
    get leftCount() {
      return late.leftCount;
    },
  };
}

/** Saves indexes that have changed enough since they were last saved. */
function createSnapshotSaver({ db, environments, clock, logger }: IndexUpkeepOptions, signal: AbortSignal) {
  /** Documents analysed when each index was last saved. */
  const savedCounts = new Map<string, number>();
  /** Documents analysed at the last check. */
  const seenCounts = new Map<string, number>();
  const save = async (name: string, { searchIndex }: ServingEnvironment) => {
    const { analysedCount, documentCount, shape } = searchIndex;
    const changed = analysedCount - (savedCounts.get(name) ?? 0);
    const analysed = analysedCount - (seenCounts.get(name) ?? 0);
    seenCounts.set(name, analysedCount);
    if (documentCount < leastDocuments || changed < documentCount * changedShare) return;
    if (analysed > documentCount * loadingShare) return;
    const savedAt = await findSnapshotMoment(db, name);
    const isLoaded = analysed === 0 && changed >= documentCount * loadedShare;
    if (savedAt && clock() - savedAt.getTime() < (isLoaded ? loadPauseMs : savePauseMs)) return;
    await saveSearchSnapshot(db, name, shape, await drain(searchIndex.snapshot(), signal));
    savedCounts.set(name, analysedCount);
  };
  const saveDue = async () => {
    for (const [name, environment] of environments) {
      if (signal.aborted) return;
      await save(name, environment).catch((error) => {
        if (!signal.aborted)
          logger.warn({ environment: name, err: error }, 'The search index could not be saved.');
      });
    }
  };
  return { saveDue };
}

/** Runs slices between other work; returns their result. */
async function drain<T>(slices: Generator<void, T>, signal: AbortSignal): Promise<T> {
  let step = slices.next();
  while (!step.done) {
    await nextTurn(signal);
    step = slices.next();
  }
  return step.value;
}
