/** Events of a file or an environment, ready to be split: columns of numbers, and what the numbers stand for. */

import { completeWeights, type EventWeights } from '../../ranking/models/event-weights.ts';
import {
  createFeatureMatrixBuilder,
  type FeatureMatrix,
  featuresOf,
  type ItemContent,
} from '../../ranking/models/features.ts';
import {
  createInteractionsBuilder,
  type InteractionEvent,
  type Interactions,
} from '../../ranking/models/interactions.ts';
import { createItemKeys } from '../../ranking/models/item-keys.ts';

export type Dataset = {
  interactions: Interactions;
  /** By local item. */
  itemIds: readonly string[];
  /** What the items are about, when that is known. */
  features?: FeatureMatrix;
};

/** The weights of a service whose deployment sets some of them. */
export const weightsInService = completeWeights;

export type DatasetBuilder = {
  /** False for an event that says nothing about its item. */
  add(event: InteractionEvent): boolean;
  /** Content of an item that events name; of others it is left out, since nothing can be asked about them. */
  describe(itemId: string, content: ItemContent): void;
  finish(): Dataset;
};

/** Items have no type here: ids of a file are of one kind. */
const itemType = '';

export function createDatasetBuilder(eventWeights?: EventWeights): DatasetBuilder {
  const itemKeys = createItemKeys();
  const itemIds: string[] = [];
  const resolveItem = (itemId: string) => {
    const local = itemKeys.intern(itemType, itemId);
    if (local === itemIds.length) itemIds.push(itemId);
    return local;
  };
  const events = createInteractionsBuilder({ itemKeys, eventWeights, resolveItem });
  const features = createFeatureMatrixBuilder();
  const described = new Set<number>();
  return {
    add: (event) => events.add(event),
    describe(itemId, content) {
      const local = itemKeys.find(itemId);
      if (local < 0 || described.has(local)) return;
      described.add(local);
      features.add(local, featuresOf(content));
    },
    finish() {
      const interactions = events.finish();
      if (described.size === 0) return { interactions, itemIds };
      return { interactions, itemIds, features: features.finish(itemIds.length) };
    },
  };
}
