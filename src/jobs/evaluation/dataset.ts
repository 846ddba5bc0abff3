/** Events of a file or an environment as columns of numbers, ready to split, with their names. */

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
  /** IDs by local item. */
  itemIds: readonly string[];
  /** Content of the items, if known. */
  features?: FeatureMatrix;
};

/** Completes a deployment's event weights with the defaults. */
export const weightsInService = completeWeights;

export type DatasetBuilder = {
  /** Returns false for an event that carries no information about its item. */
  add(event: InteractionEvent): boolean;
  /** Adds content of an item; ignores items without events, which no question is about. */
  describe(itemId: string, content: ItemContent): void;
  finish(): Dataset;
};

/** Items have no type here: all IDs of a file are of one kind. */
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
