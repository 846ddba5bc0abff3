/**
 * The greedy choice: reserves slots for the needs, then fills the others, best candidates first.
 *
 * Limits only fill up while candidates are added, so a candidate that cannot be added now never can
 * later, and one pass is enough.
 */
import type { CandidateOrder } from './candidate-order.ts';
import type { Selection } from './selection.ts';

/** Returns the slots reserved for a need. */
function reservation(selection: Selection, need: number): number {
  return selection.givenUp.values[need] === 1 ? 0 : Math.max(0, selection.shortage(need));
}

function totalReservation(selection: Selection): number {
  let total = 0;
  for (let need = 0; need < selection.pool.wants.length; need++) total += reservation(selection, need);
  return total;
}

/** Counts the unmet needs that a candidate serves. */
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

/** Tells whether a need is unmet while all needs together want more slots than are left. */
function isScarce(selection: Selection, need: number): boolean {
  const slotsLeft = selection.slots - selection.picks.length;
  return reservation(selection, need) > 0 && totalReservation(selection) > slotsLeft;
}

/**
 * While slots are scarce, picks candidates that serve many unmet needs first. Usefulness only
 * decreases while others are added, so one pass per degree of usefulness is enough.
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
