/**
 * The relevance of a candidate by its place in the stream: above 0 and at most 1; composing adds it
 * up over a list.
 *
 * With scores, the relevance is the share of the highest score. Without, it is the discount of DCG,
 * 1 / log2(place + 2) (Järvelin and Kekäläinen, 2002), which decreases fastest at the first places.
 * Places after the last score continue below it with the same discount.
 */
import type { CandidateStream } from './candidate-stream.ts';

/** Relevance at a score of 0, so that a longer list always has more relevance. */
const least = 1e-6;

const discountOf = (place: number): number => 1 / Math.log2(place + 2);

/** Precomputed for the usual places, because the logarithm is slow. */
const discounts = Float64Array.from({ length: 4_096 }, (_, place) => discountOf(place));

/** Items fetched from further down may have fractional places. */
const discount = (place: number): number => {
  const whole = place | 0;
  return whole === place && whole < discounts.length ? discounts[whole] : discountOf(place);
};

/** Returns the relevance by place, valid for this stream. */
export function createRelevance({ scores }: CandidateStream): (place: number) => number {
  if (!scores || scores.length === 0) return discount;
  let highest = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (let place = 0; place < scores.length; place++) {
    highest = Math.max(highest, scores[place]);
    lowest = Math.min(lowest, scores[place]);
  }
  if (!(highest > 0)) return discount;
  const share = (score: number): number => Math.max(score / highest, least);
  return (place) =>
    place < scores.length ? share(scores[place]) : share(lowest) * discount(place - scores.length + 1);
}
