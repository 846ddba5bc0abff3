/**
 * Hands models over to threads, which share their memory, and what arrives in them afterwards. Threads make them ready beside
 * their lists; models are used when all threads have them, from one message on.
 */

import type { ServingModels } from '../../environment/serving-models.ts';
import type { Feature } from '../../models/features.ts';
import type { ListNews, ListRemark } from './list-news.ts';

export type ModelsFeed = {
  /** Tells a new thread of the models in use, and of those that are being made ready. */
  enter(tell: (news: ListNews) => void): void;
  leave(tell: (news: ListNews) => void): void;
  handOver(buffer: SharedArrayBuffer, models: ServingModels): HandedModels;
  /** An item has arrived in models that were handed over. */
  noteArrival(models: ServingModels, itemIndex: number, features: readonly Feature[]): void;
  take(remark: ListRemark, tell: (news: ListNews) => void): void;
};

export type HandedModels = {
  /** Resolves when every thread has made them ready, or has ended. */
  awaitThreads(): Promise<void>;
  /** From now on lists are made with them. */
  use(): void;
};

type Handed = {
  modelsId: number;
  buffer: SharedArrayBuffer;
  models: ServingModels;
  /** The latest stand last. */
  arrived: Map<number, readonly Feature[]>;
  isUsed: boolean;
};

export function createModelsFeed(environment: string): ModelsFeed {
  const threads = new Set<(news: ListNews) => void>();
  /** In use, and on their way. */
  let held: Handed[] = [];
  let lastId = 0;
  /** Threads that have not made the latest models ready. */
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
