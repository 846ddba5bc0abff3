import { createFloatList, createIntList } from '../number-lists.ts';
import type { Prices } from './prices.ts';
import type { Problem } from './problem.ts';
import type { Budget, Task } from './task.ts';

/** The cost of deciding about one item, and of each of its rows, in visits. */
const visitsOfNode = 8;
const visitsOfRow = 8;

/**
 * Branch and bound over the differences from the best list without rows.
 *
 * Under the prices of the bound, each difference has a cost. Leaving out an item of that list, or
 * taking in another one, costs the distance of its reduced value from the threshold. Each unused
 * unit of a priced limit and each surplus unit of a priced need costs its price. A list's total is
 * exactly the bound less its costs. The search visits only lists with costs below the gap
 * between the bound and the best known list, item by item in order of reduced value, so that the
 * first list is the greedy choice by reduced value. The budget counts nodes, not time, so that the
 * same input gives the same list.
 */
export class Search {
  /** Items of the best list of the last run; valid when `improved`. */
  readonly best = createIntList();
  improved = false;
  /** Whether no worthwhile list is left beyond the best known one. */
  isProven = false;
  /** Total of the best known list. */
  reached = 0;
  /** Nodes visited since the caller set it to 0. */
  nodes = 0;

  private readonly ranked = createIntList();
  private readonly costs = createFloatList();
  /** By item: 1 while it is picked. */
  private readonly picked = createIntList();
  /** By row: picked items that use it, and the most that still can. */
  private readonly uses = createIntList();
  private readonly mostUses = createIntList();
  private readonly problem: Problem;
  private readonly prices: Prices;
  private task!: Task;
  private visitsLeft = 0;
  /** Ranks below it are in the list without rows. */
  private chosenCount = 0;
  private first = 0;
  private last = 0;
  private length = 0;
  private total = 0;
  /** Cost of the decisions before the first node. */
  private fixedCost = 0;

  constructor(problem: Problem, prices: Prices) {
    this.problem = problem;
    this.prices = prices;
  }

  /** Searches a better list, up to the task's goal or `maxVisits` of the budget. */
  run(task: Task, budget: Budget, maxVisits: number): void {
    const { prices } = this;
    this.task = task;
    this.improved = false;
    this.reached = task.lower;
    this.isProven = this.costLimit() < 0;
    this.visitsLeft = Math.min(maxVisits, budget.visits);
    if (this.isProven || this.visitsLeft <= 0 || prices.bound === Number.POSITIVE_INFINITY) return;
    budget.visits -= this.visitsLeft;
    this.rank(prices.reduced.values);
    this.isProven = !this.enter() || this.visit(this.first, this.fixedCost);
    budget.visits += Math.max(0, this.visitsLeft);
  }

  /** Returns the most that a worthwhile list can cost. */
  private costLimit(): number {
    return this.prices.bound - this.reached - this.task.worthwhile;
  }

  /**
   * Ranks items by reduced value and computes the cost of deciding against it. Among nearly equal
   * items those with few rows come first, and those with the same rows together, which finds dead
   * ends early.
   */
  private rank(reduced: Float64Array): void {
    const { count } = this.problem;
    const { length, isFixed } = this.task;
    this.ranked.fill(count, 0);
    for (let item = 0; item < count; item++) this.ranked.values[item] = item;
    const ranked = this.ranked.values.subarray(0, count);
    const { branchKeys } = this.problem;
    const rounded = Math.fround;
    ranked.sort(
      (a, b) =>
        rounded(reduced[b]) - rounded(reduced[a]) || branchKeys.values[a] - branchKeys.values[b] || a - b,
    );
    let chosen = 0;
    while (chosen < Math.min(length, count) && (isFixed || reduced[ranked[chosen]] > 0)) chosen += 1;
    this.chosenCount = chosen;
    const below = chosen < count ? reduced[ranked[chosen]] : Number.NEGATIVE_INFINITY;
    const threshold = isFixed && chosen > 0 ? reduced[ranked[chosen - 1]] : Math.max(below, 0);
    this.costs.fill(count, 0);
    for (let rank = 0; rank < count; rank++)
      this.costs.values[rank] = Math.abs(reduced[ranked[rank]] - threshold);
  }

  private clear(): void {
    const { count, rowCount, users } = this.problem;
    this.picked.fill(count, 0);
    this.uses.fill(rowCount, 0);
    this.mostUses.fill(rowCount, 0);
    this.mostUses.values.set(users.values.subarray(0, rowCount));
    this.length = 0;
    this.total = 0;
    this.first = 0;
    this.last = count;
    this.fixedCost = 0;
  }

  private someNeedIsStarved(): boolean {
    const { limitCount, rowCount, users, bounds } = this.problem;
    for (let row = limitCount; row < rowCount; row++) if (users.values[row] < bounds.values[row]) return true;
    return false;
  }

  /** Makes all decisions with a too costly opposite; false when no list is left. */
  private enter(): boolean {
    const { count } = this.problem;
    this.clear();
    if (this.someNeedIsStarved()) return false;
    const limit = this.costLimit();
    while (this.first < this.chosenCount && this.costs.values[this.first] > limit) this.first += 1;
    while (this.last > this.chosenCount && this.costs.values[this.last - 1] > limit) this.last -= 1;
    for (let rank = count - 1; rank >= this.last; rank--) {
      this.fixedCost += this.leaveOut(this.ranked.values[rank]);
    }
    for (let rank = 0; rank < this.first; rank++) this.fixedCost += this.takeIn(this.ranked.values[rank]);
    return this.fixedCost <= limit;
  }

  /** Takes an item in; returns the cost, Infinity when a limit forbids it. */
  private takeIn(item: number): number {
    const { rowStarts, rowIds, bounds, limitCount } = this.problem;
    let cost = 0;
    for (let k = rowStarts.values[item]; k < rowStarts.values[item + 1]; k++) {
      const row = rowIds.values[k];
      if (this.uses.values[row] >= bounds.values[row])
        cost += row < limitCount ? Infinity : this.prices.prices.values[row];
      this.uses.values[row] += 1;
    }
    this.picked.values[item] = 1;
    this.length += 1;
    this.total += this.task.values[item];
    return cost;
  }

  private undoTakeIn(item: number): void {
    const { rowStarts, rowIds } = this.problem;
    for (let k = rowStarts.values[item]; k < rowStarts.values[item + 1]; k++)
      this.uses.values[rowIds.values[k]] -= 1;
    this.picked.values[item] = 0;
    this.length -= 1;
    this.total -= this.task.values[item];
  }

  /** Leaves an item out; returns the cost, Infinity when a need can then not be met. */
  private leaveOut(item: number): number {
    const { rowStarts, rowIds, bounds, limitCount } = this.problem;
    let cost = 0;
    this.visitsLeft -= (rowStarts.values[item + 1] - rowStarts.values[item]) * visitsOfRow;
    for (let k = rowStarts.values[item]; k < rowStarts.values[item + 1]; k++) {
      const row = rowIds.values[k];
      this.mostUses.values[row] -= 1;
      if (this.mostUses.values[row] < bounds.values[row])
        cost += row < limitCount ? this.prices.prices.values[row] : Infinity;
    }
    return cost;
  }

  private undoLeaveOut(item: number): void {
    const { rowStarts, rowIds } = this.problem;
    for (let k = rowStarts.values[item]; k < rowStarts.values[item + 1]; k++)
      this.mostUses.values[rowIds.values[k]] += 1;
  }

  /** Visits all lists with the current decisions up to `rank`; returns false to stop the search. */
  private visit(rank: number, spent: number): boolean {
    this.nodes += 1;
    this.visitsLeft -= visitsOfNode;
    if (this.visitsLeft <= 0) return false;
    if (this.task.isFixed && this.length + this.last - rank < this.task.length) return true;
    if (rank === this.last) return this.finish();
    if (rank < this.chosenCount) return this.visitWith(rank, spent) && this.visitWithout(rank, spent);
    return this.visitWithout(rank, spent) && this.visitWith(rank, spent);
  }

  /** Tells whether the items that limits still admit from `rank` on can suffice. */
  private isPromising(rank: number): boolean {
    const { isFixed, length, values, worthwhile } = this.task;
    let missing = isFixed ? length - this.length : this.reached + worthwhile - this.total;
    for (let next = rank; next < this.last && missing > 0; next++) {
      const item = this.ranked.values[next];
      this.visitsLeft -= 1;
      if (this.isBlocked(item)) continue;
      missing -= isFixed ? 1 : values[item];
    }
    return missing <= 0;
  }

  private isBlocked(item: number): boolean {
    const { rowStarts, rowIds, bounds, limitCount } = this.problem;
    for (let k = rowStarts.values[item]; k < rowStarts.values[item + 1]; k++) {
      const row = rowIds.values[k];
      if (row < limitCount && this.uses.values[row] >= bounds.values[row]) return true;
    }
    return false;
  }

  private visitWith(rank: number, spent: number): boolean {
    const item = this.ranked.values[rank];
    const twin = this.problem.twins.values[item];
    if (this.length >= this.task.length || (twin >= 0 && this.picked.values[twin] === 0)) return true;
    const next = spent + this.takeIn(item) + (rank < this.chosenCount ? 0 : this.costs.values[rank]);
    const goesOn = next > this.costLimit() || !this.isPromising(rank + 1) || this.visit(rank + 1, next);
    this.undoTakeIn(item);
    return goesOn;
  }

  private visitWithout(rank: number, spent: number): boolean {
    const item = this.ranked.values[rank];
    const next = spent + this.leaveOut(item) + (rank < this.chosenCount ? this.costs.values[rank] : 0);
    const goesOn = next > this.costLimit() || this.visit(rank + 1, next);
    this.undoLeaveOut(item);
    return goesOn;
  }

  /** Keeps the list if it is better; returns false when it reaches the goal. */
  private finish(): boolean {
    if (this.total < this.reached + this.task.worthwhile) return true;
    this.reached = this.total;
    this.improved = true;
    this.best.clear();
    for (let item = 0; item < this.problem.count; item++)
      if (this.picked.values[item] === 1) this.best.push(item);
    return this.reached < this.task.goal;
  }
}
