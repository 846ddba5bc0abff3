import type { CandidateOrder } from '../candidate-order.ts';
import { fill } from '../greedy.ts';
import { createFloatList } from '../number-lists.ts';
import type { Repair } from '../repair.ts';
import type { Selection } from '../selection.ts';
import { Nesting } from './nesting.ts';
import { Prices } from './prices.ts';
import { Problem } from './problem.ts';
import { Search } from './search.ts';
import type { Task } from './task.ts';

/** Nodes of all searches for one list, about 5 ms; and of any one of them. */
const maxListNodes = 60_000;
const maxSearchNodes = 50_000;

/** Nodes of a search that can gain no more than `minorGap` of a list's relevance. */
const maxPolishNodes = 5000;
const minorGap = 0.01;

/** Share of a list's relevance that is not worth a search. */
export const tolerance = 0.0002;

/** Counts differ by 1; the rest is room for rounding. */
const oneMore = 0.999;

/**
 * The last word on a selection: what greedy choice and repair left unmet, short or doubtful is searched exactly.
 *
 * The levels of the objective are settled one after the other, each with the earlier ones as floors: every need in order of
 * declaration, length, the needs that cannot be met as far as possible, and then weight and relevance together.
 */
export class ExactStep {
  /**
   * At most this share of the best possible relevance is missing. 1 says that more could be: weight, or that some
   * candidates were left out of the search.
   */
  gapBound = 0;
  /** Nodes visited for this list. */
  get nodes(): number {
    return this.search.nodes;
  }

  private readonly problem = new Problem();
  private readonly prices = new Prices();
  private readonly search = new Search();
  private readonly nesting = new Nesting();
  private readonly values = createFloatList();
  private selection!: Selection;
  private order!: CandidateOrder;
  private repair!: Repair;

  run(selection: Selection, order: CandidateOrder, repair: Repair): void {
    this.selection = selection;
    this.order = order;
    this.repair = repair;
    this.gapBound = 0;
    this.search.nodes = 0;
    if (selection.pool.caps.length + selection.pool.wants.length === 0) return;
    this.problem.build(selection, order);
    const isShort = selection.picks.length < selection.slots;
    if (isShort || this.someNeedIsUnmet()) this.settle();
    this.setFloors((need) => Math.min(this.wanted(need), selection.served.values[need]));
    if (selection.picks.length > 0) this.maximiseValue();
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

  private settle(): void {
    const { selection } = this;
    const needCount = selection.pool.wants.length;
    this.setFloors(() => 0);
    for (let need = 0; need < needCount; need++) this.settleNeed(need);
    if (selection.picks.length < selection.slots) {
      const task = this.counting(() => 1, selection.picks.length, false);
      if (this.solve(task, selection.slots)) this.apply();
    }
    for (let need = 0; need < needCount; need++) if (!this.isMet(need)) this.approach(need);
  }

  /** Meets a need if some list meets it along with the earlier ones. */
  private settleNeed(need: number): void {
    const { selection, problem } = this;
    const wanted = this.wanted(need);
    if (!this.isMet(need)) {
      const task = this.countingNeed(need, false);
      if (this.solve(task, wanted) && this.search.reached >= wanted) {
        this.apply();
        this.refill();
      }
    }
    const met = this.isMet(need);
    selection.givenUp.values[need] = met ? 0 : 1;
    problem.bounds.values[problem.limitCount + need] = met ? wanted : 0;
  }

  /** Serves a need that cannot be met as far as nothing else loses by it. */
  private approach(need: number): void {
    const { selection, problem } = this;
    if (this.solve(this.countingNeed(need, true), this.wanted(need))) this.apply();
    problem.bounds.values[problem.limitCount + need] = selection.served.values[need];
  }

  private countingNeed(need: number, isFixed: boolean): Task {
    const { candidates } = this.problem;
    const serves = (item: number): number => Number(this.selection.serves(candidates.values[item], need));
    return this.counting(serves, this.selection.served.values[need], isFixed);
  }

  private counting(countOf: (item: number) => number, lower: number, isFixed: boolean): Task {
    const { picks, slots } = this.selection;
    const { values, problem } = this;
    values.fill(problem.count, 0);
    for (let item = 0; item < problem.count; item++) values.values[item] = countOf(item);
    return {
      values: values.values,
      length: isFixed ? picks.length : slots,
      isFixed,
      lower,
      worthwhile: oneMore,
      minor: 0,
    };
  }

  /** Looks for a better list; true when there is one. */
  private solve(task: Task, goal?: number): boolean {
    const { problem, prices, search } = this;
    prices.optimise(problem, task);
    const nodeLimit = prices.bound - task.lower > task.minor ? maxSearchNodes : maxPolishNodes;
    search.run(problem, task, prices, Math.min(nodeLimit, maxListNodes - search.nodes), goal);
    return search.improved;
  }

  private apply(): void {
    this.selection.restart();
    const { best } = this.search;
    for (let k = 0; k < best.length; k++) this.selection.add(this.problem.candidates.values[best.values[k]]);
  }

  private refill(): void {
    fill(this.selection, this.order);
    this.repair.meetNeeds();
    fill(this.selection, this.order);
  }

  private maximiseValue(): void {
    const { problem, search, prices } = this;
    if (problem.limitCount === problem.rowCount && this.nesting.isNested(problem)) return;
    const { lower, relevance } = this.totals();
    const task: Task = {
      values: problem.values.values,
      length: this.selection.picks.length,
      isFixed: true,
      lower,
      worthwhile: tolerance * relevance,
      minor: minorGap * relevance,
    };
    if (this.solve(task)) this.apply();
    const missing = search.isProven ? task.worthwhile : prices.bound - search.reached;
    this.gapBound = problem.isComplete ? Math.min(1, Math.max(0, missing) / relevance) : 1;
  }

  private totals(): { lower: number; relevance: number } {
    const { picks, pool } = this.selection;
    let [lower, relevance] = [0, 0];
    for (let k = 0; k < picks.length; k++) {
      const [weight, worth] = [pool.weights.values[picks.values[k]], pool.relevances.values[picks.values[k]]];
      lower += this.problem.valueOf(weight, worth);
      relevance += worth;
    }
    return { lower, relevance };
  }
}
