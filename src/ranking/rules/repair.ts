import type { CandidateOrder } from './candidate-order.ts';
import { createIntList, type IntList } from './number-lists.ts';
import type { Selection } from './selection.ts';

const maxChain = 6;

const maxSteps = 150;

/** All searches for one list together, however often the pool is widened; the exact step does what is left. */
export const maxListSteps = 500;

/** Stands for a list that is too short: every candidate serves it. */
const anyNeed = -1;

/**
 * What greedy choice got wrong, put right by chains of exchanges.
 *
 * A chain brings one candidate in, puts out picked ones that stand in its way, and brings others in for needs that thereby
 * fell short; if that leads nowhere within `maxChain` moves everything is undone. Every search has a budget of `maxSteps`
 * attempts and a list one of `maxListSteps`, so repair is bounded however the rules overlap.
 */
export class Repair {
  /** By need: what it must not fall below. */
  private readonly floors = createIntList();
  /** By candidate: 1 while it is part of the chain at hand, and so neither put out nor brought in again. */
  private readonly frozen = createIntList();
  private readonly saved = createIntList();
  private readonly selection: Selection;
  private readonly order: CandidateOrder;
  private stepsLeft = 0;
  private listStepsLeft = 0;
  private lengthFloor = 0;

  constructor(selection: Selection, order: CandidateOrder) {
    this.selection = selection;
    this.order = order;
  }

  /** The first need below its floor, `anyNeed` when the list is too short, or undefined. */
  private brokenNeed(): number | undefined {
    for (let need = 0; need < this.floors.length; need++) {
      if (this.selection.served.values[need] < this.floors.values[need]) return need;
    }
    return this.selection.picks.length < this.lengthFloor ? anyNeed : undefined;
  }

  private served(need: number): number {
    return Math.min(this.selection.served.values[need], this.selection.pool.wants.values[need]);
  }

  /** No need of those before `end` may get worse than it is now, as far as it wants. */
  private protect(end: number): void {
    this.floors.fill(this.selection.pool.wants.length, 0);
    for (let need = 0; need < end; need++) this.floors.values[need] = this.served(need);
  }

  /** Tries to serve every broken need; true when none is left. */
  private mend(movesLeft: number): boolean {
    const need = this.brokenNeed();
    return need === undefined || this.bringInFor(need, movesLeft);
  }

  private bringInFor(need: number, movesLeft: number): boolean {
    const { candidates, serving, servingStarts } = this.order;
    const among = need === anyNeed ? candidates : serving;
    const end = need === anyNeed ? candidates.length : servingStarts.values[need + 1];
    let at = need === anyNeed ? 0 : servingStarts.values[need];
    for (; at < end && this.stepsLeft > 0 && movesLeft > 0; at++) {
      const candidate = among.values[at];
      if (this.selection.isPicked(candidate) || this.frozen.values[candidate] === 1) continue;
      this.frozen.values[candidate] = 1;
      const done = this.bringIn(candidate, movesLeft);
      this.frozen.values[candidate] = 0;
      if (done) return true;
    }
    return false;
  }

  private beginSearch(): void {
    this.stepsLeft = Math.min(maxSteps, this.listStepsLeft);
  }

  private takeStep(): void {
    this.stepsLeft -= 1;
    this.listStepsLeft -= 1;
  }

  private bringIn(candidate: number, movesLeft: number): boolean {
    this.takeStep();
    if (movesLeft <= 0 || this.stepsLeft <= 0) return false;
    if (!this.selection.canAdd(candidate)) return this.makeRoom(candidate, movesLeft);
    this.selection.add(candidate);
    if (this.mend(movesLeft - 1)) return true;
    this.selection.remove(candidate);
    return false;
  }

  private lastPickedPlace(): number {
    let last = -1;
    for (let k = 0; k < this.selection.picks.length; k++) {
      last = Math.max(last, this.order.places.values[this.selection.picks.values[k]]);
    }
    return last;
  }

  /** Only what serves a need can have been picked before something better. */
  private servesAny(candidate: number): boolean {
    return (
      this.selection.pool.needStarts.values[candidate] < this.selection.pool.needStarts.values[candidate + 1]
    );
  }

  /** Puts out one picked candidate, worst first, that stands in the way. */
  private makeRoom(candidate: number, movesLeft: number): boolean {
    const limit = this.selection.blockingLimit(candidate);
    for (let place = this.lastPickedPlace(); place >= 0 && this.stepsLeft > 0; place--) {
      const victim = this.order.candidates.values[place];
      if (!this.selection.isPicked(victim) || this.frozen.values[victim] === 1) continue;
      if (limit >= 0 && !this.selection.usesLimit(victim, limit)) continue;
      this.selection.remove(victim);
      this.frozen.values[victim] = 1;
      const done = this.bringIn(candidate, movesLeft - 1);
      this.frozen.values[victim] = 0;
      if (done) return true;
      this.selection.add(victim);
    }
    return false;
  }

  private raise(need: number, protectedEnd: number): boolean {
    this.beginSearch();
    while (this.selection.shortage(need) > 0) {
      this.protect(protectedEnd);
      this.floors.values[need] = this.selection.served.values[need] + 1;
      if (!this.bringInFor(need, maxChain)) return false;
    }
    return true;
  }

  private restore(list: IntList): void {
    const { picks } = this.selection;
    while (picks.length > 0) this.selection.remove(picks.values[picks.length - 1]);
    for (let k = 0; k < list.length; k++) this.selection.add(list.values[k]);
  }

  /** Costing later needs something is worth it only when this one is met in the end. */
  private raiseAtTheCostOfLater(need: number): void {
    this.saved.clear();
    for (let k = 0; k < this.selection.picks.length; k++) this.saved.push(this.selection.picks.values[k]);
    if (!this.raise(need, need)) this.restore(this.saved);
  }

  /** The first unpicked candidate better than `victim` that can take its place. */
  private replaceByBetter(victim: number): boolean {
    const end = this.order.places.values[victim];
    this.selection.remove(victim);
    for (let place = 0; place < end && this.stepsLeft > 0; place++) {
      const candidate = this.order.candidates.values[place];
      if (this.selection.isPicked(candidate)) continue;
      this.takeStep();
      if (!this.selection.canAdd(candidate)) continue;
      this.selection.add(candidate);
      if (this.brokenNeed() === undefined) return true;
      this.selection.remove(candidate);
    }
    this.selection.add(victim);
    return false;
  }

  /** To be called once for each list. */
  beginList(steps: number): void {
    this.listStepsLeft = steps;
  }

  /** To be called whenever the selection begins anew. */
  begin(): void {
    this.frozen.fill(this.selection.pool.count, 0);
  }

  /** Meets needs that fell short, if need be at the cost of later declared ones. */
  meetNeeds(): void {
    const needCount = this.selection.pool.wants.length;
    this.lengthFloor = 0;
    for (let need = 0; need < needCount; need++) {
      if (this.selection.shortage(need) <= 0 || this.selection.givenUp.values[need] === 1) continue;
      if (!this.raise(need, needCount)) this.raiseAtTheCostOfLater(need);
    }
  }

  /** Brings needs that cannot be met nearer to what they want, at the cost of nothing else. */
  approachNeeds(): void {
    const needCount = this.selection.pool.wants.length;
    this.lengthFloor = this.selection.picks.length;
    for (let need = 0; need < needCount; need++)
      if (this.selection.shortage(need) > 0) this.raise(need, needCount);
  }

  /** Puts better candidates in the place of worse ones where limits and needs allow. */
  improve(): void {
    this.lengthFloor = 0;
    this.beginSearch();
    this.protect(this.selection.pool.wants.length);
    for (let place = this.lastPickedPlace(); place >= 0 && this.stepsLeft > 0; place--) {
      const victim = this.order.candidates.values[place];
      if (this.selection.isPicked(victim) && this.servesAny(victim)) this.replaceByBetter(victim);
    }
  }

  /** Makes a list longer that limits keep short, if need be at the cost of needs that are unmet anyway. */
  lengthen(): void {
    this.protect(this.selection.pool.wants.length);
    for (let need = 0; need < this.floors.length; need++)
      if (this.selection.shortage(need) > 0) this.floors.values[need] = 0;
    this.beginSearch();
    while (this.selection.picks.length < this.selection.slots) {
      this.lengthFloor = this.selection.picks.length + 1;
      if (!this.bringInFor(anyNeed, maxChain)) return;
    }
  }
}
