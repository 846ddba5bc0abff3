/**
 * Items that arrived since the models were trained, compared by content as they come, so that they can be recommended within
 * a second. One comparison takes 1 to 2 ms, so they take turns with requests; a bulk load is left to the next training.
 */

import type { Feature } from '../models/features.ts';
import { nextTurn } from '../runtime/slices.ts';
import type { ServingModels } from './serving-models.ts';

/** More at once than a person or a feed changes between two trainings. */
const mostWaiting = 2_000;

export type Arrivals = {
  /** Takes a new or changed item in; its features are read when its turn comes. */
  add(itemIndex: number, features: () => readonly Feature[]): void;
  /**
   * Compares everything that arrived within new models; resolves when they are ready to take over, so that nothing is missing
   * from lists in between. Items that they know are forgotten.
   */
  prepare(models: ServingModels): Promise<void>;
};

/** Told of what models are to compare, as they are about to. */
export type ArrivalListener = (
  models: ServingModels,
  itemIndex: number,
  features: readonly Feature[],
) => void;

export function createArrivals(onArrival?: ArrivalListener): Arrivals {
  /** All that the models in use do not know, so that the next models can take them over; the latest change stands last. */
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
      /** A map's iteration meets what is added on the way. */
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
