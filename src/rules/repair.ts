/**
 * What greedy choice got wrong, put right by chains of exchanges.
 *
 * A chain brings one candidate in, puts out picked ones that stand in its way, and brings others in for needs that thereby
 * fell short; if that leads nowhere within `maxChain` moves everything is undone. Every search has a budget of `maxSteps`
 * attempts and a list one of `maxListSteps`, so repair is bounded however the rules overlap.
 */
import type { CandidateOrder } from './candidate-order.ts';
import { createIntList, type IntList } from './number-lists.ts';
import type { Selection } from './selection.ts';

const maxChain = 6;

const maxSteps = 2000;

/** All searches for one list together, however often the pool is widened. */
const maxListSteps = 10_000;

/** Stands for a list that is too short: every candidate serves it. */
const anyNeed = -1;

export type Repair = {
  /** To be called once for each list. */
  beginList(): void;
  /** To be called once for each selection. */
  begin(selection: Selection, order: CandidateOrder): void;
  /** Meets needs that fell short, if need be at the cost of later declared ones. */
  meetNeeds(): void;
  /** Brings needs that cannot be met nearer to what they want, at the cost of nothing else. */
  approachNeeds(): void;
  /** Puts better candidates in the place of worse ones where limits and needs allow. */
  improve(): void;
  /** Makes a list longer that limits keep short, if need be at the cost of needs that are unmet anyway. */
  lengthen(): void;
};

export function createRepair(): Repair {
  /** By need: what it must not fall below. */
  const floors = createIntList();
  /** By candidate: 1 while it is part of the chain at hand, and so neither put out nor brought in again. */
  const frozen = createIntList();
  const saved = createIntList();
  let selection: Selection;
  let order: CandidateOrder;
  let stepsLeft = 0;
  let listStepsLeft = 0;
  let lengthFloor = 0;

  /** The first need below its floor, `anyNeed` when the list is too short, or undefined. */
  const brokenNeed = (): number | undefined => {
    for (let need = 0; need < floors.length; need++) {
      if (selection.served.values[need] < floors.values[need]) return need;
    }
    return selection.picks.length < lengthFloor ? anyNeed : undefined;
  };

  const served = (need: number): number =>
    Math.min(selection.served.values[need], selection.pool.wants.values[need]);

  /** No need of those before `end` may get worse than it is now, as far as it wants. */
  const protect = (end: number): void => {
    floors.fill(selection.pool.wants.length, 0);
    for (let need = 0; need < end; need++) floors.values[need] = served(need);
  };

  /** Tries to serve every broken need; true when none is left. */
  const mend = (movesLeft: number): boolean => {
    const need = brokenNeed();
    return need === undefined || bringInFor(need, movesLeft);
  };

  const bringInFor = (need: number, movesLeft: number): boolean => {
    for (let place = 0; place < order.candidates.length && stepsLeft > 0 && movesLeft > 0; place++) {
      const candidate = order.candidates.values[place];
      if (selection.isPicked(candidate)) continue;
      if (need !== anyNeed && !selection.serves(candidate, need)) continue;
      if (frozen.values[candidate] === 1) continue;
      frozen.values[candidate] = 1;
      const done = bringIn(candidate, movesLeft);
      frozen.values[candidate] = 0;
      if (done) return true;
    }
    return false;
  };

  const beginSearch = (): void => {
    stepsLeft = Math.min(maxSteps, listStepsLeft);
  };

  const takeStep = (): void => {
    stepsLeft -= 1;
    listStepsLeft -= 1;
  };

  const bringIn = (candidate: number, movesLeft: number): boolean => {
    takeStep();
    if (movesLeft <= 0 || stepsLeft <= 0) return false;
    if (!selection.canAdd(candidate)) return makeRoom(candidate, movesLeft);
    selection.add(candidate);
    if (mend(movesLeft - 1)) return true;
    selection.remove(candidate);
    return false;
  };

  const lastPickedPlace = (): number => {
    let last = -1;
    for (let k = 0; k < selection.picks.length; k++) {
      last = Math.max(last, order.places.values[selection.picks.values[k]]);
    }
    return last;
  };

  /** Only what serves a need can have been picked before something better. */
  const servesAny = (candidate: number): boolean =>
    selection.pool.needStarts.values[candidate] < selection.pool.needStarts.values[candidate + 1];

  /** Puts out one picked candidate, worst first, that stands in the way. */
  const makeRoom = (candidate: number, movesLeft: number): boolean => {
    const limit = selection.blockingLimit(candidate);
    for (let place = lastPickedPlace(); place >= 0 && stepsLeft > 0; place--) {
      const victim = order.candidates.values[place];
      if (!selection.isPicked(victim) || frozen.values[victim] === 1) continue;
      if (limit >= 0 && !selection.usesLimit(victim, limit)) continue;
      selection.remove(victim);
      frozen.values[victim] = 1;
      const done = bringIn(candidate, movesLeft - 1);
      frozen.values[victim] = 0;
      if (done) return true;
      selection.add(victim);
    }
    return false;
  };

  const raise = (need: number, protectedEnd: number): boolean => {
    beginSearch();
    while (selection.shortage(need) > 0) {
      protect(protectedEnd);
      floors.values[need] = selection.served.values[need] + 1;
      if (!bringInFor(need, maxChain)) return false;
    }
    return true;
  };

  const restore = (list: IntList): void => {
    while (selection.picks.length > 0) selection.remove(selection.picks.values[selection.picks.length - 1]);
    for (let k = 0; k < list.length; k++) selection.add(list.values[k]);
  };

  /** Costing later needs something is worth it only when this one is met in the end. */
  const raiseAtTheCostOfLater = (need: number): void => {
    saved.clear();
    for (let k = 0; k < selection.picks.length; k++) saved.push(selection.picks.values[k]);
    if (!raise(need, need)) restore(saved);
  };

  /** The first unpicked candidate better than `victim` that can take its place. */
  const replaceByBetter = (victim: number): boolean => {
    const end = order.places.values[victim];
    selection.remove(victim);
    for (let place = 0; place < end && stepsLeft > 0; place++) {
      const candidate = order.candidates.values[place];
      if (selection.isPicked(candidate)) continue;
      takeStep();
      if (!selection.canAdd(candidate)) continue;
      selection.add(candidate);
      if (brokenNeed() === undefined) return true;
      selection.remove(candidate);
    }
    selection.add(victim);
    return false;
  };

  return {
    beginList() {
      listStepsLeft = maxListSteps;
    },
    begin(nextSelection, nextOrder) {
      selection = nextSelection;
      order = nextOrder;
      frozen.fill(selection.pool.count, 0);
    },
    meetNeeds() {
      const needCount = selection.pool.wants.length;
      lengthFloor = 0;
      for (let need = 0; need < needCount; need++) {
        if (selection.shortage(need) <= 0 || selection.givenUp.values[need] === 1) continue;
        if (!raise(need, needCount)) raiseAtTheCostOfLater(need);
      }
    },
    approachNeeds() {
      const needCount = selection.pool.wants.length;
      lengthFloor = selection.picks.length;
      for (let need = 0; need < needCount; need++) if (selection.shortage(need) > 0) raise(need, needCount);
    },
    improve() {
      lengthFloor = 0;
      beginSearch();
      protect(selection.pool.wants.length);
      for (let place = lastPickedPlace(); place >= 0 && stepsLeft > 0; place--) {
        const victim = order.candidates.values[place];
        if (selection.isPicked(victim) && servesAny(victim)) replaceByBetter(victim);
      }
    },
    lengthen() {
      protect(selection.pool.wants.length);
      for (let need = 0; need < floors.length; need++)
        if (selection.shortage(need) > 0) floors.values[need] = 0;
      beginSearch();
      while (selection.picks.length < selection.slots) {
        lengthFloor = selection.picks.length + 1;
        if (!bringInFor(anyNeed, maxChain)) return;
      }
    },
  };
}
