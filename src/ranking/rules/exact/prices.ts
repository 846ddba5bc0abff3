import { createFloatList } from '../number-lists.ts';
import type { Problem } from './problem.ts';
import type { Budget, Task } from './task.ts';

/** Visits for one bound, which limit its rounds. */
const maxVisits = 80_000;

const maxRounds = 120;

/** Rounds without a better bound after which steps are halved. */
const patience = 4;

/** Share of the first step below which further steps gain nothing. */
const leastStep = 0.01;

/**
 * An upper bound on the total of any list, by Lagrangian relaxation of the rows (Held and Karp,
 * 1971).
 *
 * Each row has a price of at least 0. An item's reduced value is its value less the prices of its
 * limits plus those of its needs. The best list without rows then consists of the items with the
 * greatest reduced values, and its total plus the price of all bounds is at least the total of any
 * list within the rows. The prices follow the subgradient (the excess and the shortage of that list
 * by row) with Polyak's step towards the best known list.
 */
export class Prices {
  /** By row. */
  readonly prices = createFloatList();
  /** The price of the total weight, for a task with a floor for it. */
  weightPrice = 0;
  /** By item: its reduced value. */
  readonly reduced = createFloatList();
  bound = 0;

  private readonly trial = createFloatList();
  private readonly trialReduced = createFloatList();
  private readonly sorted = createFloatList();
  private readonly gradient = createFloatList();
  private trialWeightPrice = 0;
  private weightGradient = 0;
  private readonly problem: Problem;
  private task!: Task;

  constructor(problem: Problem) {
    this.problem = problem;
  }

  /** Improves the prices until the bound excludes worthwhile lists, or the rounds end. */
  optimise(task: Task, budget: Budget): void {
    const { problem } = this;
    this.task = task;
    const visits = problem.rowIds.length * 2 + problem.count * 4 + 1;
    const rounds = Math.min(maxRounds, Math.floor(Math.min(maxVisits, budget.visits) / visits));
    this.trial.fill(problem.rowCount, 0);
    this.trialWeightPrice = 0;
    this.bound = Number.POSITIVE_INFINITY;
    let length = 1;
    let stale = 0;
    for (let round = 0; round < rounds && length > leastStep; round++) {
      budget.visits -= visits;
      const improved = this.evaluate();
      if (this.bound < task.lower + task.worthwhile) return;
      stale = improved ? 0 : stale + 1;
      if (stale >= patience) {
        length /= 2;
        stale = 0;
      }
      if (!this.step(length)) return;
    }
  }

  /** Computes the bound of the trial prices; keeps them if it is the lowest so far. */
  private evaluate(): boolean {
    this.reduce();
    const bound = this.total();
    if (bound >= this.bound) return false;
    this.bound = bound;
    this.weightPrice = this.trialWeightPrice;
    copy(this.trial, this.prices);
    copy(this.trialReduced, this.reduced);
    return true;
  }

  private reduce(): void {
    const { count, rowStarts, rowIds, limitCount } = this.problem;
    const { values, weighing } = this.task;
    const weightPrice = this.trialWeightPrice;
    this.trialReduced.fill(count, 0);
    const [reduced, prices, starts, rows] = [
      this.trialReduced.values,
      this.trial.values,
      rowStarts.values,
      rowIds.values,
    ];
    for (let item = 0; item < count; item++) {
      let value = weighing ? values[item] + weightPrice * weighing.weights[item] : values[item];
      for (let k = starts[item]; k < starts[item + 1]; k++)
        value += rows[k] < limitCount ? -prices[rows[k]] : prices[rows[k]];
      reduced[item] = value;
    }
  }

  /** Returns the bound of the trial prices; sets the gradient. */
  private total(): number {
    const { count, bounds, limitCount } = this.problem;
    const { length, isFixed } = this.task;
    copy(this.trialReduced, this.sorted);
    partitionLargest(this.sorted.values, count, length);
    let threshold = Number.POSITIVE_INFINITY;
    for (let k = 0; k < Math.min(count, length); k++) threshold = Math.min(threshold, this.sorted.values[k]);
    if (!isFixed) threshold = Math.max(threshold, 0);
    let total = -this.trialWeightPrice * (this.task.weighing?.floor ?? 0);
    for (let row = 0; row < bounds.length; row++) {
      const sign = row < limitCount ? 1 : -1;
      total += sign * this.trial.values[row] * bounds.values[row];
    }
    return total + this.pickAbove(threshold);
  }

  /** Picks the items above a threshold, and enough of those at it; returns their total. */
  private pickAbove(threshold: number): number {
    const { count, bounds, rowCount, limitCount } = this.problem;
    const reduced = this.trialReduced.values;
    this.gradient.fill(rowCount, 0);
    for (let row = 0; row < rowCount; row++)
      this.gradient.values[row] = row < limitCount ? -bounds.values[row] : bounds.values[row];
    this.weightGradient = this.task.weighing?.floor ?? 0;
    let room = Math.min(count, this.task.length);
    let total = 0;
    for (let item = 0; item < count; item++) if (reduced[item] > threshold) room -= 1;
    for (let item = 0; item < count; item++) {
      if (reduced[item] < threshold || (reduced[item] === threshold && room-- <= 0)) continue;
      total += reduced[item];
      this.use(item);
    }
    return total;
  }

  private use(item: number): void {
    this.weightGradient -= this.task.weighing?.weights[item] ?? 0;
    const { rowStarts, rowIds, limitCount } = this.problem;
    for (let k = rowStarts.values[item]; k < rowStarts.values[item + 1]; k++) {
      const row = rowIds.values[k];
      this.gradient.values[row] += row < limitCount ? 1 : -1;
    }
  }

  /** Moves the trial prices along the gradient; returns false when it is 0. */
  private step(length: number): boolean {
    const { values: gradient } = this.gradient;
    const { values: trial } = this.trial;
    let norm = this.trialWeightPrice > 0 || this.weightGradient > 0 ? this.weightGradient ** 2 : 0;
    for (let row = 0; row < this.trial.length; row++) {
      if (trial[row] > 0 || gradient[row] > 0) norm += gradient[row] ** 2;
    }
    if (norm === 0) return false;
    const stride = (length * (this.bound - this.task.lower)) / norm;
    for (let row = 0; row < this.trial.length; row++)
      trial[row] = Math.max(0, trial[row] + stride * gradient[row]);
    this.trialWeightPrice = Math.max(0, this.trialWeightPrice + stride * this.weightGradient);
    return true;
  }
}

function copy(from: { values: Float64Array; length: number }, to: ReturnType<typeof createFloatList>): void {
  to.fill(from.length, 0);
  to.values.set(from.values.subarray(0, from.length));
}

/** Moves the `count` largest values to the front, unordered (Hoare's selection). */
function partitionLargest(values: Float64Array, length: number, count: number): void {
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left] > pivot) left += 1;
      while (values[right] < pivot) right -= 1;
      if (left > right) break;
      const held = values[left];
      values[left++] = values[right];
      values[right--] = held;
    }
    if (count - 1 <= right) high = right;
    else if (count - 1 >= left) low = left;
    else return;
  }
}
