import type { CandidateOrder } from './candidate-order.ts';
import { createIntList, type IntList } from './number-lists.ts';
import type { Selection } from './selection.ts';

const maxChain = 6;

const maxSteps = 150;

/** Bounds all searches for one list; the exact step does the rest. */
export const maxListSteps = 500;

/** Stands for a list that is too short: every candidate serves it. */
const anyNeed = -1;

/**
 * Repairs the greedy choice by chains of exchanges.
 *
 * A chain adds one candidate, removes picked ones that block it, and adds others for needs that
 * fell short by it. A chain that finds no list within `maxChain` moves is undone. Each search may
 * make `maxSteps` attempts and each list `maxListSteps`, so that repair is bounded for any rules.
 */
export class Repair {
  /** By need: the count that it must not fall below. */
  private readonly floors = createIntList();
  /** By candidate: 1 while it is part of the current chain, which must not move it again. */
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

  /** Returns the first need below its floor, `anyNeed` when the list is too short, or undefined. */
  private brokenNeed(): number | undefined {
    for (let need = 0; need < this.floors.length; need++) {
      if (this.selection.served.values[need] < this.floors.values[need]) return need;
    }
    return this.selection.picks.length < this.lengthFloor ? anyNeed : undefined;
  }

  private served(need: number): number {
    return Math.min(this.selection.served.values[need], this.selection.pool.wants.values[need]);
  }

  /** Sets the floors of the needs before `end` to their current counts. */
  private protect(end: number): void {
    this.floors.fill(this.selection.pool.wants.length, 0);
    for (let need = 0; need < end; need++) this.floors.values[need] = this.served(need);
  }

  /** Tries to serve all broken needs; returns whether none is left. */
  private serveBrokenNeeds(movesLeft: number): boolean {
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
    if (this.serveBrokenNeeds(movesLeft - 1)) return true;
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

  /** Only a candidate that serves a need can have been picked before a better one. */
  private servesAny(candidate: number): boolean {
    return (
      this.selection.pool.needStarts.values[candidate] < this.selection.pool.needStarts.values[candidate + 1]
    );
  }

  /** Removes one picked candidate that blocks the given one, worst first. */
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

  /** Serves a need at the cost of later ones; restores the list unless the need is met. */
  private raiseAtTheCostOfLater(need: number): void {
    this.saved.clear();
    for (let k = 0; k < this.selection.picks.length; k++) this.saved.push(this.selection.picks.values[k]);
    if (!this.raise(need, need)) this.restore(this.saved);
  }

  /** Replaces a picked candidate by the first better one that fits. */
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

  /** To be called whenever the selection starts again. */
  begin(): void {
    this.frozen.fill(this.selection.pool.count, 0);
  }

  /** Meets needs that fell short, if necessary at the cost of later ones. */
  meetNeeds(): void {
    const needCount = this.selection.pool.wants.length;
    this.lengthFloor = 0;
    for (let need = 0; need < needCount; need++) {
      if (this.selection.shortage(need) <= 0 || this.selection.givenUp.values[need] === 1) continue;
      if (!this.raise(need, needCount)) this.raiseAtTheCostOfLater(need);
    }
  }

  /** Serves needs that cannot be met as far as possible without any cost. */
  approachNeeds(): void {
    const needCount = this.selection.pool.wants.length;
    this.lengthFloor = this.selection.picks.length;
    for (let need = 0; need < needCount; need++)
      if (this.selection.shortage(need) > 0) this.raise(need, needCount);
  }

  /** Replaces candidates by better ones where limits and needs allow. */
  improve(): void {
    this.lengthFloor = 0;
    this.beginSearch();
    this.protect(this.selection.pool.wants.length);
    for (let place = this.lastPickedPlace(); place >= 0 && this.stepsLeft > 0; place--) {
      const victim = this.order.candidates.values[place];
      if (this.selection.isPicked(victim) && this.servesAny(victim)) this.replaceByBetter(victim);
    }
  }

  /** Lengthens a list that limits keep short, also at the cost of unmet needs. */
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
