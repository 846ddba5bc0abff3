import { createIntList } from '../number-lists.ts';
import type { Problem } from './problem.ts';

/**
 * Whether any two limits are nested or disjoint, as the limits of one diversify rule and of ever narrower quotas are.
 *
 * Such limits form a laminar matroid, and without needs taking the best that fits, one after the other, gives the best list
 * (Edmonds, 1971): nothing is left to search. Limits are nested when each has one next larger limit in all of its items.
 */
export function createNesting(): { isNested(problem: Problem): boolean } {
  /** By limit: the next larger limit of its items; -1 is none, -2 not seen yet. */
  const parents = createIntList();

  /** Whether the next larger limit of one item's limit is that of the items before. */
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

/** Of limits with equally many users the later one counts as larger. */
function isLarger({ users }: Problem, one: number, other: number): boolean {
  const difference = users.values[one] - users.values[other];
  return difference === 0 ? one > other : difference > 0;
}
