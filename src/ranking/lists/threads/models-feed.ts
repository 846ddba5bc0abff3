/**
 * Hands models in shared memory to threads, and then the items that arrive. Threads prepare them
 * alongside requests; one message activates them once all threads are ready.
 */

import type { ServingModels } from '../../environment/serving-models.ts';
import type { Feature } from '../../models/features.ts';
import type { ListNews, ListRemark } from './list-news.ts';

export type ModelsFeed = {
  /** Announces the active and pending models to a new thread. */
  enter(tell: (news: ListNews) => void): void;
  leave(tell: (news: ListNews) => void): void;
  handOver(buffer: SharedArrayBuffer, models: ServingModels): HandedModels;
  /** Records that an item was added to models that were handed over. */
  noteArrival(models: ServingModels, itemIndex: number, features: readonly Feature[]): void;
  take(remark: ListRemark, tell: (news: ListNews) => void): void;
};

export type HandedModels = {
  /** Resolves when every thread has prepared the models or ended. */
  awaitThreads(): Promise<void>;
  /** Activates the models for all later lists. */
  use(): void;
};

type Handed = {
  modelsId: number;
  buffer: SharedArrayBuffer;
  models: ServingModels;
  /** Items added to the models, latest last. */
  arrived: Map<number, readonly Feature[]>;
  isUsed: boolean;
};

export function createModelsFeed(environment: string): ModelsFeed {
  const threads = new Set<(news: ListNews) => void>();
  /** Active and pending models. */
  let held: Handed[] = [];
  let lastId = 0;
  /** Threads that have not prepared the latest models yet. */
  const awaited = new Set<(news: ListNews) => void>();
  let resolveAwaited: (() => void) | undefined;

  const tellAll = (news: ListNews): void => {
    for (const tell of threads) tell(news);
  };
  const tellModels = (tell: (news: ListNews) => void, handed: Handed): void => {
    const { modelsId, buffer, models, arrived, isUsed } = handed;
    const { mapping } = models;
    tell({ kind: 'models', environment, modelsId, buffer, mapping });
    for (const [itemIndex, features] of arrived)
      tell({ kind: 'arrived', environment, modelsId, itemIndex, features });
    if (isUsed) tell({ kind: 'use', environment, modelsId });
  };
  const noLongerAwaited = (tell: (news: ListNews) => void): void => {
    awaited.delete(tell);
    if (awaited.size === 0) resolveAwaited?.();
  };
  return {
    enter(tell) {
      threads.add(tell);
      for (const handed of held) tellModels(tell, handed);
    },
    leave(tell) {
      threads.delete(tell);
      noLongerAwaited(tell);
    },
    handOver(buffer, models) {
      lastId += 1;
      const handed: Handed = { modelsId: lastId, buffer, models, arrived: new Map(), isUsed: false };
      held = [...held.filter(({ isUsed }) => isUsed), handed];
      awaited.clear();
      for (const tell of threads) {
        awaited.add(tell);
        tellModels(tell, handed);
      }
      return {
        awaitThreads: () =>
          new Promise((resolve) => {
            resolveAwaited = resolve;
            if (awaited.size === 0) resolve();
          }),
        use() {
          handed.isUsed = true;
          held = [handed];
          tellAll({ kind: 'use', environment, modelsId: handed.modelsId });
        },
      };
    },
    noteArrival(models, itemIndex, features) {
      const handed = held.find((one) => one.models === models);
      if (handed === undefined) return;
      const { modelsId, arrived } = handed;
      arrived.delete(itemIndex);
      arrived.set(itemIndex, features);
      tellAll({ kind: 'arrived', environment, modelsId, itemIndex, features });
    },
    take({ modelsId }, tell) {
      if (modelsId === lastId) noLongerAwaited(tell);
    },
  };
}
