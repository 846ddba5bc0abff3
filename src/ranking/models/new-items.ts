/**
 * Content similarity for items newer than the training, live until the next training.
 *
 * A new item gets its neighbours on arrival, among trained and other new items, so that a shop that
 * just loaded its first products gets similar items at once. They work both ways: as candidates
 * when the new item is a seed, and to propose the new item from its neighbours.
 */

import { add, reserve } from './arrays/accumulator.ts';
import { type ContentTables, similarTo } from './content-similarity.ts';
import type { Feature } from './features.ts';
import { type IndexMapping, type Model, type Query, type Reason, sumIndexOf } from './model.ts';
import { createNewPeers, type Link, type NewPeers } from './new-peers.ts';

export type NewItems = {
  readonly model: Model;
  /** Changes whenever results may have changed. */
  readonly version: number;
  /** Adds a new or changed item; returns false when `maxItems` are held. */
  set(itemIndex: number, features: readonly Feature[]): boolean;
  delete(itemIndex: number): void;
};

export type NewItemsOptions = {
  tables: ContentTables;
  mapping: IndexMapping;
  /** Most items held: beyond it, train instead. */
  maxItems?: number;
};

export const newItemsName = 'new_items';

/** Most new items proposed per known item: the earliest. */
const maxNewPerNeighbour = 200;

type Neighbourhood = {
  /** New item → local indices of similar known items. */
  knownLike: Map<number, readonly { local: number; score: number }[]>;
  /** Local index of a known item → similar new items. */
  newLike: Map<number, Link[]>;
  peers: NewPeers;
  /** Highest position of a new item plus one; other models' tables end before it. */
  end: number;
};

export function createNewItems({ tables, mapping, maxItems = 20_000 }: NewItemsOptions): NewItems {
  const neighbourhood: Neighbourhood = {
    knownLike: new Map(),
    newLike: new Map(),
    peers: createNewPeers(tables),
    end: 0,
  };
  const { knownLike, newLike, peers } = neighbourhood;
  let version = 0;
  const remove = (itemIndex: number) => {
    version += 1;
    for (const { local } of knownLike.get(itemIndex) ?? []) {
      const rest = (newLike.get(local) ?? []).filter((link) => link.itemIndex !== itemIndex);
      if (rest.length > 0) newLike.set(local, rest);
      else newLike.delete(local);
    }
    knownLike.delete(itemIndex);
    peers.delete(itemIndex);
  };
  return {
    model: createNewItemsModel(neighbourhood, mapping),
    delete: remove,
    get version() {
      return version;
    },
    set(itemIndex, features) {
      remove(itemIndex);
      if (knownLike.size >= maxItems) return false;
      const similar = similarTo(tables, features);
      knownLike.set(itemIndex, similar);
      for (const { local, score } of similar) {
        const links = newLike.get(local) ?? [];
        if (links.length < maxNewPerNeighbour) newLike.set(local, [...links, { itemIndex, score }]);
      }
      peers.set(itemIndex, features);
      neighbourhood.end = Math.max(neighbourhood.end, itemIndex + 1);
      return true;
    },
  };
}

function createNewItemsModel(neighbourhood: Neighbourhood, mapping: IndexMapping): Model {
  const { knownLike, newLike, peers } = neighbourhood;
  /** Visits all additions of a seed, by sum index. */
  const visit = (query: Query, seed: number, take: (index: number, score: number) => void): void => {
    const seedItemIndex = query.seedItemIndex[seed];
    const takeNew = ({ itemIndex, score }: Link) => take(sumIndexOf(mapping, itemIndex), score);
    for (const { local, score } of knownLike.get(seedItemIndex) ?? []) take(local, score);
    for (const link of peers.of(seedItemIndex)) takeNew(link);
    for (const link of newLike.get(query.seedLocal[seed]) ?? []) takeNew(link);
  };
  return {
    name: newItemsName,
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      /** New items follow the trained ones, at any catalogue position. */
      reserve(accumulator, mapping.itemIndexOf.length + neighbourhood.end);
      for (let seed = 0; seed < query.seedCount; seed++) {
        const scale = weight * query.seedWeight[seed];
        visit(query, seed, (index, score) => add(accumulator, index, scale * score));
      }
    },
    explain(query, weight, itemIndex) {
      const candidate = sumIndexOf(mapping, itemIndex);
      const reasons: Reason[] = [];
      for (let seed = 0; seed < query.seedCount; seed++) {
        const seedItemIndex = query.seedItemIndex[seed];
        const seedLocal = query.seedLocal[seed];
        visit(query, seed, (index, score) => {
          if (index !== candidate) return;
          reasons.push({ seedItemIndex, seedLocal, score: weight * query.seedWeight[seed] * score });
        });
      }
      return reasons;
    },
  };
}
