/**
 * The first answer: reserve slots for the needs, then fill the others, best candidates first.
 *
 * Limits only fill up while candidates are added, so one that cannot be added now never can later: one pass is enough.
 */
import type { CandidateOrder } from './candidate-order.ts';
import type { Selection } from './selection.ts';

/** How many candidates a need wants slots reserved for. */
function reservation(selection: Selection, need: number): number {
  return selection.givenUp.values[need] === 1 ? 0 : Math.max(0, selection.shortage(need));
}

function totalReservation(selection: Selection): number {
  let total = 0;
  for (let need = 0; need < selection.pool.wants.length; need++) total += reservation(selection, need);
  return total;
}

/** How many unmet needs a candidate serves. */
function usefulness(selection: Selection, candidate: number): number {
  const { needStarts, needIds } = selection.pool;
  let useful = 0;
  for (let k = needStarts.values[candidate]; k < needStarts.values[candidate + 1]; k++) {
    if (reservation(selection, needIds.values[k]) > 0) useful += 1;
  }
  return useful;
}

function unmetCount(selection: Selection): number {
  let unmet = 0;
  for (let need = 0; need < selection.pool.wants.length; need++)
    if (reservation(selection, need) > 0) unmet += 1;
  return unmet;
}

/** Whether a need is unmet while slots are scarcer than all needs together. */
function isScarce(selection: Selection, need: number): boolean {
  const slotsLeft = selection.slots - selection.picks.length;
  return reservation(selection, need) > 0 && totalReservation(selection) > slotsLeft;
}

/**
 * While slots are scarce, picks candidates that serve many unmet needs first.
 * A candidate's usefulness only falls while others are added, so one pass for each degree of it is enough.
 */
function reserveScarce(selection: Selection, order: CandidateOrder, need: number): void {
  for (let use = unmetCount(selection); use > 0 && isScarce(selection, need); use--) {
    for (let place = 0; place < order.candidates.length; place++) {
      const candidate = order.candidates.values[place];
      if (!selection.serves(candidate, need) || selection.isPicked(candidate)) continue;
      if (usefulness(selection, candidate) < use || !selection.canAdd(candidate)) continue;
      selection.add(candidate);
      if (!isScarce(selection, need)) return;
    }
  }
}

/** Picks the best candidates for each need, in order of declaration. */
export function reserve(selection: Selection, order: CandidateOrder): void {
  for (let need = 0; need < selection.pool.wants.length; need++) {
    reserveScarce(selection, order, need);
    for (let place = 0; place < order.candidates.length && reservation(selection, need) > 0; place++) {
      const candidate = order.candidates.values[place];
      if (!selection.serves(candidate, need) || selection.isPicked(candidate)) continue;
      if (selection.canAdd(candidate)) selection.add(candidate);
    }
  }
}

/** Adds the best candidates while there are slots. */
export function fill(selection: Selection, order: CandidateOrder): void {
  const { picks, slots } = selection;
  for (let place = 0; place < order.candidates.length && picks.length < slots; place++) {
    const candidate = order.candidates.values[place];
    if (!selection.isPicked(candidate) && selection.canAdd(candidate)) selection.add(candidate);
  }
}
