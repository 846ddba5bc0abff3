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

function isFull({ picks, slots }: Selection): boolean {
  return picks.length >= slots;
}

/** Whether a need is unmet while slots are scarcer than all needs together. */
function isScarce(selection: Selection, need: number): boolean {
  const slotsLeft = selection.slots - selection.picks.length;
  return reservation(selection, need) > 0 && totalReservation(selection) > slotsLeft;
}

/**
 * While slots are scarce, picks candidates that serve many unmet needs first.
 * A candidate's usefulness only falls while others are added, so one pass for each degree of it that was met is enough.
 */
function reserveScarce(selection: Selection, order: CandidateOrder, need: number): void {
  const { serving, servingStarts } = order;
  let use = unmetCount(selection);
  while (use > 0 && !isFull(selection) && isScarce(selection, need)) {
    let nextUse = 0;
    for (let k = servingStarts.values[need]; k < servingStarts.values[need + 1]; k++) {
      const candidate = serving.values[k];
      if (selection.isPicked(candidate)) continue;
      const useful = usefulness(selection, candidate);
      if (useful < use) nextUse = Math.max(nextUse, useful);
      else if (selection.canAdd(candidate)) {
        selection.add(candidate);
        if (!isScarce(selection, need)) return;
      }
    }
    use = nextUse;
  }
}

/** Picks the best candidates for each need, in order of declaration. */
export function reserve(selection: Selection, order: CandidateOrder): void {
  const { serving, servingStarts } = order;
  for (let need = 0; need < selection.pool.wants.length && !isFull(selection); need++) {
    reserveScarce(selection, order, need);
    const end = servingStarts.values[need + 1];
    for (let k = servingStarts.values[need]; k < end && reservation(selection, need) > 0; k++) {
      const candidate = serving.values[k];
      if (!selection.isPicked(candidate) && selection.canAdd(candidate)) selection.add(candidate);
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
