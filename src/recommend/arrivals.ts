/**
 * Items that arrived since the models were trained, compared by content as they come, so that they can be recommended within
 * a second. One comparison takes 1 to 2 ms, so they take turns with requests; a bulk load is left to the next training.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Feature } from '../models/features.ts';
import type { ServingModels } from './serving-models.ts';

/** More at once than a person or a feed changes between two trainings. */
const mostWaiting = 2_000;

export type Arrivals = {
  /** Takes a new or changed item in; its features are read when its turn comes. */
  add(itemIndex: number, features: () => readonly Feature[]): void;
  /** Goes on with new models; items that they know are forgotten. */
  serveWith(models: ServingModels): void;
};

export function createArrivals(): Arrivals {
  /** All that the present models do not know, so that the next models can take them over. */
  const arrived = new Map<number, () => readonly Feature[]>();
  let waiting = new Set<number>();
  let models: ServingModels | undefined;
  let working = false;

  const work = async () => {
    if (working) return;
    working = true;
    for (let next = takeOne(); next !== undefined; next = takeOne()) {
      models?.newItems?.set(next, arrived.get(next)!());
      await nextTurn();
    }
    working = false;
  };
  const takeOne = (): number | undefined => {
    for (const itemIndex of waiting) {
      waiting.delete(itemIndex);
      return itemIndex;
    }
    return undefined;
  };
  const isKnown = (itemIndex: number) => (models?.mapping.localOf[itemIndex] ?? -1) >= 0;

  return {
    add(itemIndex, features) {
      if (isKnown(itemIndex) || arrived.size >= mostWaiting) return;
      arrived.set(itemIndex, features);
      waiting.add(itemIndex);
      void work();
    },
    serveWith(next) {
      models = next;
      for (const itemIndex of [...arrived.keys()]) if (isKnown(itemIndex)) arrived.delete(itemIndex);
      waiting = new Set(arrived.keys());
      void work();
    },
  };
}
