/**
 * Compares new items with each other as they arrive, by the cosine of their IDF-weighted features.
 *
 * An IDF counts trained and new items together, at the arrival of the item; the next training
 * recomputes all weights.
 */

import { type ContentTables, findHash } from './content-similarity.ts';
import type { Feature } from './features.ts';

export type Link = { itemIndex: number; score: number };

export type NewPeers = {
  set(itemIndex: number, features: readonly Feature[]): void;
  delete(itemIndex: number): void;
  /** Returns the new items most similar to one, best first, at most `mostPeers`. */
  of(itemIndex: number): readonly Link[];
};

/** Equals the neighbours of a trained item. */
const mostPeers = 50;

/** Postings read per arrival, rarest feature first: bounds it to a fraction of a millisecond. */
const postingBudget = 5_000;

type Posting = { itemIndex: number; weight: number };

export function createNewPeers(tables: Pick<ContentTables, 'hashes' | 'neighbours' | 'postings'>): NewPeers {
  const knownCount = tables.neighbours.offsets.length - 1;
  const postings = new Map<number, Posting[]>();
  const hashesOf = new Map<number, number[]>();
  const peersOf = new Map<number, Link[]>();
  /** Items with the item among their present or former peers. */
  const namedBy = new Map<number, Set<number>>();

  const idfOf = (hash: number): number => {
    const id = findHash(tables.hashes, hash);
    const knownWith = id < 0 ? 0 : tables.postings.offsets[id + 1] - tables.postings.offsets[id];
    const newWith = (postings.get(hash)?.length ?? 0) + 1;
    return Math.log(1 + (knownCount + hashesOf.size + 1) / (knownWith + newWith));
  };
  const vectorOf = (features: readonly Feature[]) => {
    const weighed = features.map(({ hash, weight }) => ({ hash, weight: weight * idfOf(hash) }));
    const norm = Math.hypot(...weighed.map(({ weight }) => weight)) || 1;
    return weighed.map(({ hash, weight }) => ({ hash, weight: weight / norm }));
  };
  const name = (itemIndex: number, by: number) => {
    const names = namedBy.get(itemIndex);
    if (names) names.add(by);
    else namedBy.set(itemIndex, new Set([by]));
  };
  const remove = (itemIndex: number) => {
    for (const hash of hashesOf.get(itemIndex) ?? []) {
      const rest = postings.get(hash)!.filter((posting) => posting.itemIndex !== itemIndex);
      if (rest.length > 0) postings.set(hash, rest);
      else postings.delete(hash);
    }
    for (const other of namedBy.get(itemIndex) ?? []) {
      const links = peersOf.get(other);
      if (links)
        peersOf.set(
          other,
          links.filter((link) => link.itemIndex !== itemIndex),
        );
    }
    namedBy.delete(itemIndex);
    hashesOf.delete(itemIndex);
    peersOf.delete(itemIndex);
  };

  return {
    of: (itemIndex) => peersOf.get(itemIndex) ?? [],
    delete: remove,
    set(itemIndex, features) {
      remove(itemIndex);
      const vector = vectorOf(features);
      const peers = likest(vector, postings);
      peersOf.set(itemIndex, peers);
      for (const { itemIndex: other, score } of peers) {
        peersOf.set(other, best([...(peersOf.get(other) ?? []), { itemIndex, score }]));
        name(itemIndex, other);
        name(other, itemIndex);
      }
      for (const { hash, weight } of vector) {
        const list = postings.get(hash);
        if (list) list.push({ itemIndex, weight });
        else postings.set(hash, [{ itemIndex, weight }]);
      }
      hashesOf.set(
        itemIndex,
        vector.map(({ hash }) => hash),
      );
    },
  };
}

function likest(vector: readonly Feature[], postings: ReadonlyMap<number, Posting[]>): Link[] {
  const sums = new Map<number, number>();
  let budget = postingBudget;
  const lists = vector.map(({ hash, weight }) => ({ list: postings.get(hash) ?? [], weight }));
  for (const { list, weight } of lists.sort((a, b) => a.list.length - b.list.length)) {
    for (const peer of list.slice(-budget))
      sums.set(peer.itemIndex, (sums.get(peer.itemIndex) ?? 0) + weight * peer.weight);
    budget -= list.length;
    if (budget <= 0) break;
  }
  return best(Array.from(sums, ([itemIndex, score]) => ({ itemIndex, score: Math.min(1, score) })));
}

function best(links: Link[]): Link[] {
  return links.sort((a, b) => b.score - a.score || a.itemIndex - b.itemIndex).slice(0, mostPeers);
}
