/** Updates the search index, the vectors and the models when an item changes. */

import { featuresOf } from '../models/features.ts';
import { contentOf } from '../models/item-content.ts';
import type { ItemVectors } from '../vectors/item-vectors.ts';
import type { Arrivals } from './arrivals.ts';

export type ItemListenerOptions = {
  indexUpkeep: { apply(environment: string, itemIndex: number, item: Record<string, unknown>): void };
  arrivalsOf: (environment: string) => Pick<Arrivals, 'add'>;
  vectorsOf: (environment: string) => Pick<ItemVectors, 'write'>;
};

/** Called after the catalogue has stored an item. */
export type ItemListener = (row: { environment: string; document: unknown }, itemIndex: number) => void;

export function createItemListener({
  indexUpkeep,
  arrivalsOf,
  vectorsOf,
}: ItemListenerOptions): ItemListener {
  return ({ environment, document }, itemIndex) => {
    const item = document as Record<string, unknown>;
    indexUpkeep.apply(environment, itemIndex, item);
    vectorsOf(environment).write(itemIndex, item);
    arrivalsOf(environment).add(itemIndex, () => featuresOf(contentOf(item)));
  };
}
