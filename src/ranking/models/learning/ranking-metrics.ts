/** Normalised discounted cumulative gain of ranks, shared by learning and evaluation. */

/**
 * 1 / log2(rank + 1) by rank - 1 (Järvelin, Kekäläinen, "Cumulated Gain-based Evaluation of IR
 * Techniques", TOIS 2002).
 */
export const discounts = Float64Array.from({ length: 1000 }, (_, place) => 1 / Math.log2(place + 2));

/** Sums of `discounts`: gain of a perfect list with so many answers. */
const idealGains = discounts.reduce<number[]>(
  (sums, one) => [...sums.slice(-1000), (sums.at(-1) ?? 0) + one],
  [],
);

/** Returns the gain of a list that begins with all answers. */
export function idealGain(answerCount: number, cut: number): number {
  return idealGains[Math.min(answerCount, cut) - 1] ?? 0;
}
