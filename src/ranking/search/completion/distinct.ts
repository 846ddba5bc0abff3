/** Completions of which no two are of one group. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Completer, CompletionHit, CompletionQuery } from './completion.ts';

/**
 * Each round proposes further groups, and looks at twice as many items as the one before; more than so many are thousands of
 * variants of each of a few.
 */
const mostRounds = 8;

export type DistinctQuery = CompletionQuery & {
  /** Which item of its group a person gets; undefined when none is better than the others. */
  nextInGroup?: (itemIndex: number) => number | undefined;
};

export function completeDistinct(
  { groups }: Catalog,
  completer: Pick<Completer, 'complete'>,
  { nextInGroup, ...query }: DistinctQuery,
): CompletionHit[] {
  if (groups.count === 0) return completer.complete(query);
  /** An item without a group is one of its own. */
  const keyOf = (itemIndex: number): number => {
    const group = groups.of(itemIndex);
    return group < 0 ? -1 - itemIndex : group;
  };
  const isNext = (itemIndex: number): boolean =>
    groups.isOrdered(itemIndex) && nextInGroup?.(itemIndex) === itemIndex;
  const byGroup = new Map<number, CompletionHit>();
  const isNew = (itemIndex: number) => !byGroup.has(keyOf(itemIndex));
  const admits = (itemIndex: number) => isNew(itemIndex) && query.admits(itemIndex);
  const propose = (fuzziness: number): void => {
    for (let round = 0; round < mostRounds && byGroup.size < query.limit; round++) {
      const limit = (query.limit - byGroup.size) * 2 ** round;
      const found = completer.complete({ ...query, fuzziness, limit, admits });
      for (const hit of found) {
        const first = byGroup.get(keyOf(hit.itemIndex)) ?? hit;
        byGroup.set(keyOf(hit.itemIndex), isNext(hit.itemIndex) ? { ...hit, score: first.score } : first);
      }
      // There are no others; asked once more, what was typed would be looked for as it is written otherwise.
      if (found.length < limit) break;
    }
  };
  propose(0);
  /** Words are misspelt where what was typed finds too few groups, however few of them one round has found. */
  if (query.fuzziness && byGroup.size < query.limit) propose(query.fuzziness);
  const hits = [...byGroup.values()].sort((a, b) => b.score - a.score || a.itemIndex - b.itemIndex);
  return hits.slice(0, query.limit);
}
