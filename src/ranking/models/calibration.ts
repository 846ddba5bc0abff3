/**
 * Calibrated lists (Steck, "Calibrated Recommendations", RecSys 2018): a list shows categories in
 * proportion to the subject's interests. A greedy choice maximises
 *
 *   (1 − strength) · score / best score + strength · share(c) · log₃((n_c + 1.5) / (n_c + 0.5))
 *
 * for an item of category c with n_c listed already. The second term is its gain in −KL(shares ‖
 * list). Items chosen for the same ten places, or for a shorter list, are then ordered by score.
 */

import type { Bought } from './model.ts';
import type { Recent } from './query.ts';
import { visitGapSeconds } from './visits.ts';

/** Places filled by calibration; later places keep their order. */
const calibratedLength = 100;

/** Most places whose categories are chosen together. */
const longestBlock = 10;

/** Candidates considered for these places. */
export const calibratedDepth = 400;

/** Strength before the first training, on pages without a context item. Pages with one may stay narrow. */
export const usualCalibration = 0.5;

export type Calibration = {
  /** Share of each category in the interests; the sum is at most 1. */
  shares: ReadonlyMap<string, number>;
  /** 0: by score alone, 1: by shares alone. */
  strength: number;
};

export type CalibrateOptions = Calibration & { listSize: number };

export type CalibratedHead = {
  /** Candidates in descending order of score. */
  places: Int32Array;
  scoreOf(place: number): number;
  categoryOf(place: number): string | undefined;
};

/** Returns the places with their head in calibrated order. */
export function calibrate(
  head: CalibratedHead,
  { shares, strength, listSize }: CalibrateOptions,
): Int32Array {
  const { places, scoreOf, categoryOf } = head;
  const depth = Math.min(places.length, calibratedDepth);
  const best = depth === 0 ? 0 : scoreOf(places[0]);
  if (!(best > 0) || shares.size === 0) return places;
  const queues = new Map<string, Queue>();
  for (let rank = 0; rank < depth; rank++) {
    const category = categoryOf(places[rank]) ?? '';
    const queue = queues.get(category) ?? { ranks: [], taken: 0, worth: 0, share: shares.get(category) ?? 0 };
    queues.set(category, queue);
    queue.ranks.push(rank);
  }
  const worthOf = ({ ranks, taken, share }: Queue): number => {
    if (taken === ranks.length) return Number.NEGATIVE_INFINITY;
    const relevance = scoreOf(places[ranks[taken]]) / best;
    return (1 - strength) * relevance + strength * share * Math.log((taken + 1.5) / (taken + 0.5)) * perLog3;
  };
  const waiting = [...queues.values()];
  for (const queue of waiting) queue.worth = worthOf(queue);
  const calibrated: number[] = [];
  const isTaken = new Uint8Array(depth);
  const length = Math.min(depth, calibratedLength);
  while (calibrated.length < length) {
    let next = waiting[0];
    for (const queue of waiting) if (queue.worth > next.worth) next = queue;
    const rank = next.ranks[next.taken++];
    next.worth = worthOf(next);
    isTaken[rank] = 1;
    calibrated.push(rank);
  }
  const blockLength = Math.max(1, Math.min(longestBlock, listSize));
  const blocks = Array.from({ length: Math.ceil(length / blockLength) }, (_, block) =>
    calibrated.slice(block * blockLength, (block + 1) * blockLength).sort((a, b) => a - b),
  );
  const rest = places.filter((_, rank) => rank >= depth || isTaken[rank] === 0);
  return Int32Array.from([...blocks.flat().map((rank) => places[rank]), ...rest]);
}

const perLog3 = 1 / Math.log(3);

/** Half-life of interests in time, and their decay per step within a visit. */
const shareHalfLifeSeconds = 30 * 86_400;
const shareStepDecay = 0.9;

/** Additional share of an interest at the request's time of day. */
const shareAtSameTime = 3;

/** Virtual interests without a category, added to the total. */
const unknownInterests = 2;

/** Minimum number of interests to derive category shares. */
const fewestInterests = 4;

/** Returns the share of each category in the interests, by their age and time of day; empty for few interests. */
export function interestShares(
  recents: readonly Recent[],
  isReturning: boolean,
  categoryOf: (itemIndex: number) => string | undefined,
): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  if (recents.length < fewestInterests) return shares;
  let total = unknownInterests;
  let step = 1;
  for (const { itemIndex, ageSeconds, contacts = 1, sameTime = 0 } of recents) {
    const age = 2 ** (-ageSeconds / shareHalfLifeSeconds);
    const worth = step * contacts * age * (1 + shareAtSameTime * sameTime);
    if (!isReturning) step *= shareStepDecay;
    total += worth;
    const category = itemIndex === undefined ? undefined : categoryOf(itemIndex);
    if (category !== undefined) shares.set(category, (shares.get(category) ?? 0) + worth);
  }
  for (const [category, sum] of shares) shares.set(category, sum / total);
  return shares;
}

/**
 * Returns the shares without categories of purchases to which the subject did not come back in a
 * later visit. The models score whether people continue with such a category.
 */
export function withoutBought(
  shares: ReadonlyMap<string, number>,
  { recents, bought }: { recents: readonly Recent[]; bought: readonly Bought[] },
  categoryOf: (itemIndex: number) => string | undefined,
): ReadonlyMap<string, number> {
  if (shares.size === 0 || bought.length === 0) return shares;
  const contacts = new Map<string | undefined, number>();
  for (const { itemIndex, rhythm } of recents) {
    const category = itemIndex === undefined ? undefined : categoryOf(itemIndex);
    const idle = rhythm?.idleSeconds ?? 0;
    contacts.set(category, Math.min(idle, contacts.get(category) ?? idle));
  }
  const isLeft = (category: string): boolean => {
    const purchase = bought.find(({ itemIndex }) => categoryOf(itemIndex) === category);
    return purchase !== undefined && (contacts.get(category) ?? 0) >= purchase.ageSeconds - visitGapSeconds;
  };
  return new Map([...shares].filter(([category]) => !isLeft(category)));
}

/** Candidates of a category. `worth` is that of the next one. */
type Queue = { ranks: number[]; taken: number; share: number; worth: number };
