/**
 * Collapse: one hit of each group, the best one, or the one that comes next for the subject in an
 * ordered group if it fits as well.
 *
 * The best hits may be many of few groups. So hits are found in rounds, each without the groups
 * found before, until there are enough. A further round is not mixed with the ones before it, so a
 * short list is the beginning of a long one.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { VersionedKey } from '../versioned-cache.ts';
import { type Hit, mostHits } from './hits.ts';
import type { ItemFilter } from './item-tests.ts';

/** Hits of a search, in tiers, or completions. */
type AnyHit = { itemIndex: number; tier?: Hit['tier'] };

export type DistinctRequest<T extends AnyHit> = {
  /** Hits of the first round; each further round ranks twice as many. */
  limit: number;
  /** Number of groups, and items without a group, that are enough. */
  wanted: number;
  among: ItemFilter;
  nextInGroup?: NextOf;
  /** Returns the best hits, at most `limit`, among the filtered items. */
  find(limit: number, among: ItemFilter): { hits: T[]; isComplete: boolean };
};

/** Returns the item that comes next for the subject in its group, if any. */
export type NextOf = (itemIndex: number) => number | undefined;

const mostRounds = 32;

export type DistinctHits = ReturnType<typeof createDistinctHits>;

export function createDistinctHits({ groups, changes }: Catalog) {
  /** Returns the first hit of each group, in order. */
  const firstOf = <T extends AnyHit>(hits: readonly T[], nextInGroup?: NextOf): T[] => {
    if (groups.count === 0) return hits as T[];
    const seen = new Set<number>();
    const first = hits.filter(({ itemIndex }) => {
      const group = groups.of(itemIndex);
      if (group < 0) return true;
      return !seen.has(group) && seen.add(group);
    });
    return nextInGroup ? first.map((hit) => replaced(hit, hits, nextInGroup)) : first;
  };

  /** A round depends only on the rounds before and on the groups of items. */
  const memoryOfRound = ({ key, version }: VersionedKey, round: number[]): VersionedKey => ({
    key: JSON.stringify([key, ...round]),
    version: version + changes.position,
  });

  /** Prefers the next item of an ordered group to the best one, in the same tier. */
  const replaced = <T extends AnyHit>(hit: T, hits: readonly T[], nextInGroup: NextOf): T => {
    const next = groups.isOrdered(hit.itemIndex) ? nextInGroup(hit.itemIndex) : undefined;
    if (next === undefined || next === hit.itemIndex) return hit;
    return hits.find(({ itemIndex, tier }) => itemIndex === next && tier === hit.tier) ?? hit;
  };

  return {
    firstOf,
    find<T extends AnyHit>({ limit, wanted, among, nextInGroup, find }: DistinctRequest<T>) {
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
