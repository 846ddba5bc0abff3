/**
 * Calibrated lists (Steck, "Calibrated Recommendations", RecSys 2018): a list shows categories in
 * proportion to the subject's interests. A greedy choice maximises
 *
 *   (1 − strength) · score / best score + strength · share(c) · log₃((n_c + 1.5) / (n_c + 0.5))
 *
 * for an item of category c with n_c listed already. The second term is its gain in −KL(shares ‖
 * list).
 */

/** Places filled by calibration; later places keep their order. */
const calibratedLength = 100;

/** Candidates considered for these places. */
const calibratedDepth = 400;

/** Default strength on pages without a context item. Pages with one may stay narrow. */
export const usualCalibration = 0.3;

export type Calibration = {
  /** Share of each category in the interests; the sum is at most 1. */
  shares: ReadonlyMap<string, number>;
  /** 0: by score alone, 1: by shares alone. */
  strength: number;
};

export type CalibratedHead = {
  /** Candidates in descending order of score. */
  places: Int32Array;
  scoreOf(place: number): number;
  categoryOf(place: number): string | undefined;
};

/** Returns the places with their head in calibrated order. */
export function calibrate(head: CalibratedHead, { shares, strength }: Calibration): Int32Array {
  const { places, scoreOf, categoryOf } = head;
  const depth = Math.min(places.length, calibratedDepth);
  const best = depth === 0 ? 0 : scoreOf(places[0]);
  if (!(best > 0) || shares.size === 0) return places;
  const queues = new Map<string, Queue>();
  for (let rank = 0; rank < depth; rank++) {
    const category = categoryOf(places[rank]) ?? '';
    const queue = queues.get(category) ?? { ranks: [], taken: 0, share: shares.get(category) ?? 0 };
    queues.set(category, queue);
    queue.ranks.push(rank);
  }
  const worthOf = ({ ranks, taken, share }: Queue): number => {
    const relevance = scoreOf(places[ranks[taken]]) / best;
    return (1 - strength) * relevance + strength * share * Math.log((taken + 1.5) / (taken + 0.5)) * perLog3;
  };
  const calibrated: number[] = [];
  const isTaken = new Uint8Array(depth);
  const length = Math.min(depth, calibratedLength);
  while (calibrated.length < length) {
    let next: Queue | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const queue of queues.values()) {
      if (queue.taken === queue.ranks.length) continue;
      const worth = worthOf(queue);
      if (worth > most) [next, most] = [queue, worth];
    }
    const rank = next!.ranks[next!.taken++];
    isTaken[rank] = 1;
    calibrated.push(places[rank]);
  }
  const rest = places.filter((_, rank) => rank >= depth || isTaken[rank] === 0);
  return Int32Array.from([...calibrated, ...rest]);
}

const perLog3 = 1 / Math.log(3);

type Queue = { ranks: number[]; taken: number; share: number };
