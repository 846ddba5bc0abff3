/**
 * One hit of each group: the best, or, where it fits as well, the one that comes next for the person in a group with an order.
 *
 * The best hits may be many of few groups. So hits are found in rounds, each without the groups that are known by then, until
 * there are enough. A further round is not mixed with the ones before it: however many are wanted, the first stay the first.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { VersionedKey } from '../versioned-cache.ts';
import { type Hit, mostHits } from './hits.ts';
import type { ItemFilter } from './item-tests.ts';

export type Found = { hits: Hit[]; isComplete: boolean };

export type DistinctRequest = {
  /** Hits of the first round; further ones look at twice as many as the one before. */
  limit: number;
  /** Groups, and items without one, that are enough. */
  wanted: number;
  among: ItemFilter;
  nextInGroup?: NextOf;
  /** The best hits, at most `limit`, among the items that are admitted. */
  find(limit: number, among: ItemFilter): Found;
};

/** Which item of its group a person gets; undefined when none is better than the others. */
export type NextOf = (itemIndex: number) => number | undefined;

/** Thousands of matching variants of each of so many groups before a list is shorter than it could be. */
const mostRounds = 32;

export type DistinctHits = {
  find(request: DistinctRequest): Found;
  /** The first hit of each group, in order. */
  firstOf(hits: readonly Hit[], nextInGroup?: NextOf): Hit[];
};

export function createDistinctHits({ groups, changes }: Catalog): DistinctHits {
  const firstOf = (hits: readonly Hit[], nextInGroup?: NextOf): Hit[] => {
    if (groups.count === 0) return hits as Hit[];
    const seen = new Set<number>();
    const first = hits.filter(({ itemIndex }) => {
      const group = groups.of(itemIndex);
      if (group < 0) return true;
      return !seen.has(group) && seen.add(group);
    });
    return nextInGroup ? first.map((hit) => replaced(hit, hits, nextInGroup)) : first;
  };

  /** The rounds before find the same for everybody, and so leave the same to it, while items stay in their groups. */
  const memoryOfRound = ({ key, version }: VersionedKey, round: number[]): VersionedKey => ({
    key: JSON.stringify([key, ...round]),
    version: version + changes.position,
  });

  /** The next one takes the place of the best when its words fit as well. */
  const replaced = (hit: Hit, hits: readonly Hit[], nextInGroup: NextOf): Hit => {
    const next = groups.isOrdered(hit.itemIndex) ? nextInGroup(hit.itemIndex) : undefined;
    if (next === undefined || next === hit.itemIndex) return hit;
    return hits.find(({ itemIndex, tier }) => itemIndex === next && tier === hit.tier) ?? hit;
  };

  return {
    firstOf,
    find({ limit, wanted, among, nextInGroup, find }) {
      let round = find(limit, among);
      const hits = [...firstOf(round.hits, nextInGroup)];
      const knownGroups = new Set<number>();
      const knownItems = new Set<number>();
      for (let i = 1; i < mostRounds && !round.isComplete && hits.length < wanted; i++) {
        for (const { itemIndex } of round.hits) {
          knownItems.add(itemIndex);
          if (groups.of(itemIndex) >= 0) knownGroups.add(groups.of(itemIndex));
        }
        const isNew = (itemIndex: number) =>
          !knownItems.has(itemIndex) && !knownGroups.has(groups.of(itemIndex)) && among.admits(itemIndex);
        const known = among.known && memoryOfRound(among.known, [limit, i]);
        round = find(Math.min(mostHits, limit * 2 ** i), { admits: isNew, known });
        hits.push(...firstOf(round.hits, nextInGroup));
      }
      return { hits, isComplete: round.isComplete };
    },
  };
}
