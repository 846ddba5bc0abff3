/**
 * Compares items that arrived after the training by content, so that lists can contain them within
 * a second. A comparison takes 1 to 2 ms, between requests; bulk loads wait for a training.
 */

import type { Feature } from '../models/features.ts';
import { nextTurn } from '../runtime/slices.ts';
import type { ServingModels } from './serving-models.ts';

/** Queue limit: more than editors or a feed change between two trainings. */
const mostWaiting = 2_000;

export type Arrivals = {
  /** Queues a new or changed item; reads its features just before the comparison. */
  add(itemIndex: number, features: () => readonly Feature[]): void;
  /**
   * Compares all arrived items within new models and forgets those the models know. Resolves when
   * the models can take over without a gap in the lists.
   */
  prepare(models: ServingModels): Promise<void>;
};

/** Called before models compare an item. */
export type ArrivalListener = (
  models: ServingModels,
  itemIndex: number,
  features: readonly Feature[],
) => void;

export function createArrivals(onArrival?: ArrivalListener): Arrivals {
  /** Items unknown to the models in use, latest change last; the next models compare them too. */
  const arrived = new Map<number, () => readonly Feature[]>();
  const waiting = new Set<number>();
  let models: ServingModels | undefined;
  let working = false;

  const compare = (within: ServingModels | undefined, itemIndex: number, features: readonly Feature[]) => {
    if (within?.newItems === undefined) return;
    onArrival?.(within, itemIndex, features);
    within.newItems.set(itemIndex, features);
  };
  const work = async () => {
    if (working) return;
    working = true;
    for (const itemIndex of waiting) {
      waiting.delete(itemIndex);
      const features = arrived.get(itemIndex);
      if (features) compare(models, itemIndex, features());
      await nextTurn();
    }
    working = false;
  };

  return {
    add(itemIndex, features) {
      if (isKnown(models, itemIndex) || (arrived.size >= mostWaiting && !arrived.has(itemIndex))) return;
      arrived.delete(itemIndex);
      arrived.set(itemIndex, features);
      waiting.add(itemIndex);
      void work();
    },
    async prepare(next) {
      /** A map's iteration includes entries added meanwhile. */
      for (const [itemIndex, features] of arrived) {
        if (isKnown(next, itemIndex)) continue;
        compare(next, itemIndex, features());
        await nextTurn();
      }
      models = next;
      for (const itemIndex of [...arrived.keys()]) if (isKnown(next, itemIndex)) arrived.delete(itemIndex);
    },
  };
}

function isKnown(models: ServingModels | undefined, itemIndex: number): boolean {
  return (models?.mapping.localOf[itemIndex] ?? -1) >= 0;
}
