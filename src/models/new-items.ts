/**
 * Content similarity for items that are newer than the training: live until the next training takes them in.
 *
 * A new item gets its neighbours once, when it arrives. They serve in both directions: as candidates when the new item
 * is a seed, and to propose the new item when one of them is.
 */

import { add } from './arrays/accumulator.ts';
import { type ContentTables, type Similar, similarTo } from './content-similarity.ts';
import type { Feature } from './features.ts';
import type { IndexMapping, Model, Query, Reason } from './model.ts';

export type NewItems = {
  readonly model: Model;
  /** Takes a new or changed item in; false when `maxItems` are held already. */
  set(itemIndex: number, features: readonly Feature[]): boolean;
  delete(itemIndex: number): void;
};

export type NewItemsOptions = {
  tables: ContentTables;
  mapping: IndexMapping;
  /** More than this since the last training is a reason to train, not to hold more. */
  maxItems?: number;
};

/** Of the new items that are like one known item, at most this many are proposed: the first to arrive. */
export const MAX_NEW_PER_NEIGHBOUR = 200;

type Link = { itemIndex: number; score: number };

export function createNewItems({ tables, mapping, maxItems = 20_000 }: NewItemsOptions): NewItems {
  const neighboursOf = new Map<number, Similar[]>();
  const newItemsNear = new Map<number, Link[]>();
  const remove = (itemIndex: number) => {
    for (const { local } of neighboursOf.get(itemIndex) ?? []) {
      const rest = (newItemsNear.get(local) ?? []).filter((link) => link.itemIndex !== itemIndex);
      if (rest.length > 0) newItemsNear.set(local, rest);
      else newItemsNear.delete(local);
    }
    neighboursOf.delete(itemIndex);
  };
  return {
    model: createNewItemsModel(neighboursOf, newItemsNear, mapping),
    delete: remove,
    set(itemIndex, features) {
      remove(itemIndex);
      if (neighboursOf.size >= maxItems) return false;
      const similar = similarTo(tables, features);
      neighboursOf.set(itemIndex, similar);
      for (const { local, score } of similar) {
        const links = newItemsNear.get(local) ?? [];
        if (links.length < MAX_NEW_PER_NEIGHBOUR) newItemsNear.set(local, [...links, { itemIndex, score }]);
      }
      return true;
    },
  };
}

function createNewItemsModel(
  neighboursOf: ReadonlyMap<number, readonly Similar[]>,
  newItemsNear: ReadonlyMap<number, readonly Link[]>,
  mapping: IndexMapping,
): Model {
  /** Every addition of one seed, in the catalogue's space. */
  const visit = (query: Query, seed: number, take: (itemIndex: number, score: number) => void): void => {
    for (const { local, score } of neighboursOf.get(query.seedItemIndex[seed]) ?? []) {
      if (mapping.itemIndexOf[local] >= 0) take(mapping.itemIndexOf[local], score);
    }
    for (const { itemIndex, score } of newItemsNear.get(query.seedLocal[seed]) ?? []) take(itemIndex, score);
  };
  return {
    name: 'new_items',
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      for (let seed = 0; seed < query.seedCount; seed++) {
        const scale = weight * query.seedWeight[seed];
        visit(query, seed, (itemIndex, score) => add(accumulator, itemIndex, scale * score));
      }
    },
    explain(query, weight, candidate) {
      const reasons: Reason[] = [];
      for (let seed = 0; seed < query.seedCount; seed++) {
        const seedItemIndex = query.seedItemIndex[seed];
        const seedLocal = query.seedLocal[seed];
        visit(query, seed, (itemIndex, score) => {
          if (itemIndex !== candidate) return;
          reasons.push({ seedItemIndex, seedLocal, score: weight * query.seedWeight[seed] * score });
        });
      }
      return reasons;
    },
  };
}
