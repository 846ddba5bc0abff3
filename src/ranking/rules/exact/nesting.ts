import { createIntList } from '../number-lists.ts';
import type { Problem } from './problem.ts';

/**
 * Tests whether all limits are nested or disjoint, like those of one diversify rule or of ever
 * narrower quotas.
 *
 * Such limits form a laminar matroid. Without needs, the greedy choice is then optimal (Edmonds,
 * 1971), and no search is necessary. Limits are nested when each has the same next larger limit in
 * all of its items.
 */
export function createNesting(): { isNested(problem: Problem): boolean } {
  /** By limit: the next larger limit of its items; -1 for none, -2 for unknown. */
  const parents = createIntList();

  /** Tells whether an item's limit has the same next larger limit as in the items before. */
  const agrees = (problem: Problem, start: number, end: number, limit: number): boolean => {
    if (limit >= problem.limitCount) return true;
    let parent = -1;
    for (let k = start; k < end; k++) {
      const other = problem.rowIds.values[k];
      if (other === limit || other >= problem.limitCount || !isLarger(problem, other, limit)) continue;
      if (parent < 0 || isLarger(problem, parent, other)) parent = other;
    }
    const known = parents.values[limit];
    parents.values[limit] = parent;
    return known === -2 || known === parent;
  };

  return {
    isNested(problem) {
      parents.fill(problem.limitCount, -2);
      for (let item = 0; item < problem.count; item++) {
        const start = problem.rowStarts.values[item];
        const end = problem.rowStarts.values[item + 1];
        for (let k = start; k < end; k++)
          if (!agrees(problem, start, end, problem.rowIds.values[k])) return false;
      }
      return true;
    },
  };
}

/** Compares limits by their users; of equal ones the later is larger. */
function isLarger({ users }: Problem, one: number, other: number): boolean {
  const difference = users.values[one] - users.values[other];
  return difference === 0 ? one > other : difference > 0;
}
