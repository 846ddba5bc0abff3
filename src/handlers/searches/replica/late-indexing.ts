/** Indexes new texts after the start, while lists are served, if they are too many to wait for. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import { nextTurn } from '../../../ranking/runtime/slices.ts';
import type { Database } from '../../../repository/database.ts';
import { type ItemState, streamItemStates } from '../../../repository/items/items.ts';

/** Documents analysed between two turns of other work: about 2 ms. */
const documentsPerTurn = 20;

/** Settles once as many items as are found already, so that the cost grows with the items. */
const leastBatch = 50_000;

const retryMs = 1_000;

export type LateIndexing = {
  /** Leaves one item of the environment for later. */
  leave(environment: string): void;
  /** Indexes all items that were left, to be called once when no more are left. */
  run(): Promise<void>;
  readonly leftCount: number;
};

export type LateIndexingOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  logger: Pick<Logger, 'info' | 'warn'>;
  signal: AbortSignal;
};

export function createLateIndexing({ db, environments, logger, signal }: LateIndexingOptions): LateIndexing {
  const left = new Map<string, number>();

  const indexAll = async (name: string) => {
    const { catalog, searchIndex } = environments.get(name)!;
    let pending = 0;
    let found = searchIndex.documentCount;
    const settle = async () => {
      for (const _ of searchIndex.settle()) await nextTurn(signal);
      found += pending;
      pending = 0;
    };
    const index = async ({ itemType, itemId, revision, document }: ItemState) => {
      const itemIndex = catalog.indexOf(itemType, itemId);
      // The follower of items takes what has changed meanwhile.
      if (itemIndex === undefined || catalog.revisionAt(itemIndex) !== revision) return;
      const { analysedCount } = searchIndex;
      searchIndex.fill(itemIndex, document as Record<string, unknown>);
      if (searchIndex.analysedCount === analysedCount) return;
      left.set(name, Math.max(0, left.get(name)! - 1));
      pending += 1;
      if (pending % documentsPerTurn === 0) await nextTurn(signal);
      if (pending >= Math.max(leastBatch, found)) await settle();
    };
    for await (const states of streamItemStates(db, name)) for (const state of states) await index(state);
    await settle();
    left.delete(name);
  };
  const indexPatiently = async (name: string) => {
    const count = left.get(name);
    const startMs = performance.now();
    logger.info({ environment: name, items: count }, 'Indexing items for search while lists are served.');
    while (left.has(name) && !signal.aborted) {
      try {
        await indexAll(name);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ environment: name, err: error }, 'Items could not be indexed; trying again.');
        await delay(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
    const seconds = Math.round((performance.now() - startMs) / 1_000);
    logger.info({ environment: name, items: count, seconds }, 'All items are indexed for search.');
  };

  return {
    leave: (name) => void left.set(name, (left.get(name) ?? 0) + 1),
    async run() {
      for (const name of [...left.keys()]) await indexPatiently(name);
    },
    get leftCount() {
      let count = 0;
      for (const ofEnvironment of left.values()) count += ofEnvironment;
      return count;
    },
  };
}
