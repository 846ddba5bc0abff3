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

/** The addable candidate for a need that serves most unmet needs, the best of equals; or -1. */
function mostUseful(selection: Selection, order: CandidateOrder, need: number): number {
  let best = -1;
  let bestUse = 0;
  for (let place = 0; place < order.candidates.length; place++) {
    const candidate = order.candidates.values[place];
    if (!selection.serves(candidate, need) || selection.isPicked(candidate)) continue;
    const use = usefulness(selection, candidate);
    if (use <= bestUse || !selection.canAdd(candidate)) continue;
    best = candidate;
    bestUse = use;
  }
  return best;
}

/** While slots are scarcer than the needs, prefers candidates that serve several. */
function reserveScarce(selection: Selection, order: CandidateOrder, need: number): void {
  while (
    reservation(selection, need) > 0 &&
    totalReservation(selection) > selection.slots - selection.picks.length
  ) {
    const candidate = mostUseful(selection, order, need);
    if (candidate < 0) return;
    selection.add(candidate);
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
