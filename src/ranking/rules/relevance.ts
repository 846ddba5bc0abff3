/**
 * How much a candidate is worth by its place alone: a number above 0 and at most 1 that composing adds up over a list.
 *
 * Where the stream carries scores, a candidate is worth its share of the highest. Elsewhere it is worth the discount of
 * DCG, 1 / log2(place + 2) (Järvelin and Kekäläinen, 2002): every place is worth less than the one before, and the first
 * ones differ most. Places after the last score continue below it in the same way.
 */
import type { CandidateStream } from './candidate-stream.ts';

/** What a score of nothing is worth, so that a longer list is always worth more. */
const least = 1e-6;

const discountOf = (place: number): number => 1 / Math.log2(place + 2);

/** Of the places that nearly every candidate stands at: a logarithm costs more than all else there is to do with one. */
const discounts = Float64Array.from({ length: 4_096 }, (_, place) => discountOf(place));

/** Items that are fetched from further down may stand between two places; an array is slow to say that it has none there. */
const discount = (place: number): number => {
  const whole = place | 0;
  return whole === place && whole < discounts.length ? discounts[whole] : discountOf(place);
};

/** By place of the stream; good as long as the stream. */
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
