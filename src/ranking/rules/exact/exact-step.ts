import type { CandidateOrder } from '../candidate-order.ts';
import { fill } from '../greedy.ts';
import { createFloatList } from '../number-lists.ts';
import type { Selection } from '../selection.ts';
import { createNesting } from './nesting.ts';
import { Prices } from './prices.ts';
import { Problem } from './problem.ts';
import { Search } from './search.ts';
import type { Budget, Task } from './task.ts';

/** Visits for one list, about 3 ms. */
const maxListVisits = 1_200_000;

/** Visits of one search: it completes small problems, and large ones up to good lists. */
const maxSearchVisits = 1_000_000;
const maxLargeSearchVisits = 40_000;
const largeProblem = 100;

/** Visits reserved for the value, so that weight and relevance always get a bound. */
const valueVisits = 400_000;

/** The least improvement of relevance that a search looks for, as a share. */
const tolerance = 0.0002;

/** Share of the relevance that may be missing without a search. */
const acceptedGap = 0.001;

/** An improvement by 1, with room for rounding. */
const oneMore = 0.999;

/**
 * The exact search after the greedy choice, for lists that may not be the best.
 *
 * The levels of the objective (compose.ts) are settled one after the other, each with the earlier
 * ones as floors: each need in order of declaration, length, the needs that cannot be met, then
 * weight and relevance together.
 */
export class ExactStep {
  /** Share of the best possible relevance that may be missing; 1 if weight may be, too. */
  gapBound = 0;
  /** Nodes visited for this list. */
  get nodes(): number {
    return this.search.nodes;
  }

  private readonly problem = new Problem();
  private readonly prices = new Prices(this.problem);
  private readonly search = new Search(this.problem, this.prices);
  private readonly nesting = createNesting();
  private readonly values = createFloatList();
  private readonly budget: Budget = { visits: 0 };
  private readonly selection: Selection;
  private readonly order: CandidateOrder;

  constructor(selection: Selection, order: CandidateOrder) {
    this.selection = selection;
    this.order = order;
  }

  run(): void {
    const { selection } = this;
    this.gapBound = 0;
    this.search.nodes = 0;
    this.budget.visits = maxListVisits - valueVisits;
    if (selection.pool.caps.length + selection.pool.wants.length === 0 || this.hasFirstCandidates()) return;
    this.problem.build(selection, this.order);
    const isShort = selection.picks.length < selection.slots;
    if (isShort || this.someNeedIsUnmet()) this.settleCounts();
    this.budget.visits += valueVisits;
    this.settleValue();
  }

  /** Repeats while the list grows: better items may make another one possible. */
  private settleValue(): void {
    const { selection } = this;
    let length: number;
    do {
      length = selection.picks.length;
      this.setFloors((need) => Math.min(this.wanted(need), selection.served.values[need]));
      if (length > 0) this.maximiseValue();
      fill(selection, this.order);
    } while (selection.picks.length > length);
  }

  /** Tells whether the list is full, meets all needs and has the first candidates. */
  private hasFirstCandidates(): boolean {
    const { picks, slots } = this.selection;
    if (picks.length < slots || this.someNeedIsUnmet()) return false;
    for (let k = 0; k < picks.length; k++)
      if (this.order.places.values[picks.values[k]] >= picks.length) return false;
    return true;
  }

  private wanted(need: number): number {
    return Math.max(0, this.selection.pool.wants.values[need]);
  }

  private isMet(need: number): boolean {
    return this.selection.shortage(need) <= 0;
  }

  private someNeedIsUnmet(): boolean {
    for (let need = 0; need < this.selection.pool.wants.length; need++) if (!this.isMet(need)) return true;
    return false;
  }

  private setFloors(floor: (need: number) => number): void {
    const { bounds, limitCount } = this.problem;
    for (let need = 0; need < this.selection.pool.wants.length; need++)
      bounds.values[limitCount + need] = floor(need);
  }

  private settleCounts(): void {
    const { selection } = this;
    const needCount = selection.pool.wants.length;
    this.setFloors(() => 0);
    for (let need = 0; need < needCount; need++) this.settleNeed(need);
    if (selection.picks.length < selection.slots) {
      if (this.solve(this.counting(() => 1, selection.picks.length, selection.slots))) this.apply();
    }
    for (let need = 0; need < needCount; need++) if (!this.isMet(need)) this.approach(need);
  }

  /** Meets a need if any list meets it along with the earlier ones. */
  private settleNeed(need: number): void {
    const { selection, problem } = this;
    const wanted = this.wanted(need);
    if (!this.isMet(need)) {
      if (this.solve({ ...this.countingNeed(need), lower: wanted - 1 })) {
        this.apply();
        fill(selection, this.order);
      }
    }
    const met = this.isMet(need);
    problem.bounds.values[problem.limitCount + need] = met ? wanted : 0;
  }

  /** Serves a need that cannot be met as far as possible without any cost. */
  private approach(need: number): void {
    const { selection, problem } = this;
    const task = this.countingNeed(need);
    if (this.solve({ ...task, length: selection.picks.length, isFixed: true })) this.apply();
    problem.bounds.values[problem.limitCount + need] = selection.served.values[need];
  }

  private countingNeed(need: number): Task {
    const { candidates } = this.problem;
    const serves = (item: number): number => Number(this.selection.serves(candidates.values[item], need));
    return this.counting(serves, this.selection.served.values[need], this.wanted(need));
  }

  private counting(countOf: (item: number) => number, lower: number, goal: number): Task {
    const { values, problem } = this;
    values.fill(problem.count, 0);
    for (let item = 0; item < problem.count; item++) values.values[item] = countOf(item);
    const { slots } = this.selection;
    return { values: values.values, length: slots, isFixed: false, lower, worthwhile: oneMore, goal };
  }

  /** Searches a better list; returns whether there is one. */
  private solve(task: Task): boolean {
    const { prices, search, budget } = this;
    prices.optimise(task, budget);
    search.run(task, budget, this.searchVisits());
    return search.improved;
  }

  private searchVisits(): number {
    return this.problem.count < largeProblem ? maxSearchVisits : maxLargeSearchVisits;
  }

  private apply(): void {
    this.selection.restart();
    const { best } = this.search;
    for (let k = 0; k < best.length; k++) this.selection.add(this.problem.candidates.values[best.values[k]]);
  }

  private maximiseValue(): void {
    const { problem } = this;
    if (problem.limitCount === problem.rowCount && this.nesting.isNested(problem)) return;
    const relevance = this.sum(problem.relevanceOf);
    this.gapBound = this.isHeaviest() ? this.relevanceGap(relevance) : 1;
    if (this.gapBound > acceptedGap) this.searchBest(relevance);
    if (!problem.isComplete) this.gapBound = 1;
  }

  /** Creates a task over lists of the current length. */
  private valuing(values: Float64Array, lower: number, worthwhile: number): Task {
    const { length } = this.selection.picks;
    return { values, length, isFixed: true, lower, worthwhile, goal: Number.POSITIVE_INFINITY };
  }

  /** Tells whether the bound excludes a heavier list. */
  private isHeaviest(): boolean {
    const { problem, prices } = this;
    if (!problem.hasWeights) return true;
    const task = this.valuing(problem.weights.values, this.sum(problem.unitsOf), oneMore);
    prices.optimise(task, this.budget);
    return prices.bound < task.lower + task.worthwhile;
  }

  /** Returns the share of relevance that the list may lack among the heaviest lists. */
  private relevanceGap(lower: number): number {
    const { problem, prices } = this;
    const task = this.valuing(problem.relevances.values, lower, acceptedGap * lower);
    if (problem.hasWeights)
      task.weighing = { weights: problem.weights.values, floor: this.sum(problem.unitsOf) };
    prices.optimise(task, this.budget);
    return Math.min(1, Math.max(0, prices.bound - lower) / lower);
  }

  /**
   * Searches the list of greatest value: weight and relevance as one number, or relevance alone,
   * which has prices already.
   */
  private searchBest(relevance: number): void {
    const { problem, search, prices } = this;
    const [values, worth] = problem.hasWeights
      ? [problem.values, problem.valueOf]
      : [problem.relevances, problem.relevanceOf];
    const task = this.valuing(values.values, this.sum(worth), tolerance * relevance);
    if (problem.hasWeights) prices.optimise(task, this.budget);
    search.run(task, this.budget, this.searchVisits());
    if (search.improved) this.apply();
    const missing = search.isProven ? task.worthwhile : prices.bound - search.reached;
    this.gapBound = Math.min(this.gapBound, Math.max(0, missing) / relevance);
  }

  private sum(worth: (weight: number, relevance: number) => number): number {
    const { picks, pool } = this.selection;
    let total = 0;
    for (let k = 0; k < picks.length; k++)
      total += worth(pool.weights.values[picks.values[k]], pool.relevances.values[picks.values[k]]);
    return total;
  }
}
