/**
 * Estimates what a policy would have earned from the log of another one, the logging policy.
 *
 *   IPS    mean of w · r                                (Horvitz and Thompson, 1952)
 *   SNIPS  sum of w · r / sum of w                      (Swaminathan and Joachims, 2015)
 *   DR     mean of E[q | policy] + w · (r - q(logged))  (Dudík, Langford and Li, 2011)
 *
 * with w = probability under the policy / propensity, reward r and predicted reward q. Weights are
 * clipped at the limit that minimises variance + squared bias of DR as the log shows them (after Su,
 * Dimakopoulou, Krishnamurthy and Dudík, 2020). Decisions of one list depend on each other, so
 * variances are those of lists.
 */

import { createChance } from '../../../ranking/lists/reordered-stream.ts';

export type Decision = {
  /** Number of its list, from 0; decisions of a list are adjacent. */
  list: number;
  /** Probability under the policy divided by the propensity, at least 0. */
  weight: number;
  reward: number;
  /** Predicted reward of the policy's choice [0]. */
  policyPrediction?: number;
  /** Predicted reward of the logged item [0]. */
  loggedPrediction?: number;
};

export type EstimatorName = 'ips' | 'snips' | 'dr';

export type Estimate = {
  name: EstimatorName;
  /** Reward of a decision. */
  value: number;
  /** 95 % interval by the normal approximation; includes the bias of clipping. */
  low: number;
  high: number;
  /** 95 % percentile interval of the bootstrap over lists. */
  bootstrapLow: number;
  bootstrapHigh: number;
};

export type Evaluation = {
  listCount: number;
  decisionCount: number;
  /** (sum of w)² / sum of w², of lists (Kish, 1965). */
  effectiveSampleSize: number;
  /** Greatest weight that counts; Infinity without clipping. */
  clippedAt: number;
  /** In the order of `EstimatorName`; empty if the effective sample is too small. */
  estimates: Estimate[];
  /** Lists with which the effective sample would suffice; undefined if no weight is above 0. */
  neededListCount: number | undefined;
};

/** Least effective sample size. */
export const leastEffectiveSample = 100;

/** z of a 95 % interval. */
const z95 = 1.96;

const bootstrapRounds = 200;

/** Quantiles of the weights at which they may be clipped. */
const clipQuantiles = [0.9999, 0.999, 0.995, 0.99, 0.98, 0.95, 0.9];

export function evaluatePolicy(decisions: readonly Decision[]): Evaluation {
  const lists = sumByList(decisions, () => [1]);
  const effectiveSampleSize = effectiveSample(sumByList(decisions, ({ weight }) => [weight]));
  const listCount = lists.length;
  const sizes = { listCount, decisionCount: decisions.length, effectiveSampleSize };
  const neededListCount =
    effectiveSampleSize > 0 ? Math.ceil((listCount * leastEffectiveSample) / effectiveSampleSize) : undefined;
  if (effectiveSampleSize < leastEffectiveSample)
    return { ...sizes, clippedAt: Number.POSITIVE_INFINITY, estimates: [], neededListCount };
  const clippedAt = chooseClip(decisions);
  const estimates = (['ips', 'snips', 'dr'] as const).map((name): Estimate => {
    const { value, error, sums } = estimateAt(decisions, name, clippedAt);
    const [bootstrapLow, bootstrapHigh] = bootstrap(sums);
    return { name, value, low: value - z95 * error, high: value + z95 * error, bootstrapLow, bootstrapHigh };
  });
  return { ...sizes, clippedAt, estimates, neededListCount };
}

/** Numerator and denominator of one decision. */
type Terms = readonly [number, number];

const estimators: Record<EstimatorName, (decision: Decision, weight: number) => Terms> = {
  ips: ({ reward }, weight) => [weight * reward, 1],
  snips: ({ reward }, weight) => [weight * reward, weight],
  dr: ({ reward, policyPrediction = 0, loggedPrediction = 0 }, weight) => [
    policyPrediction + weight * (reward - loggedPrediction),
    1,
  ],
};

/** Returns the sums of the terms of each list. */
function sumByList(
  decisions: readonly Decision[],
  termsOf: (decision: Decision) => readonly number[],
): number[][] {
  const sums: number[][] = [];
  let list = -1;
  for (const decision of decisions) {
    const terms = termsOf(decision);
    if (decision.list !== list) sums.push(terms.map(() => 0));
    list = decision.list;
    const own = sums[sums.length - 1];
    terms.forEach((term, i) => {
      own[i] += term;
    });
  }
  return sums;
}

/** Returns a ratio of sums with its standard error by the jackknife over lists. */
function ratioOf(sums: readonly (readonly number[])[]): { value: number; standardError: number } {
  let [numerator, denominator] = [0, 0];
  for (const [a, b] of sums) {
    numerator += a;
    denominator += b;
  }
  if (denominator === 0) return { value: 0, standardError: 0 };
  const value = numerator / denominator;
  let squares = 0;
  for (const [a, b] of sums) if (b < denominator) squares += ((a - value * b) / (denominator - b)) ** 2;
  return { value, standardError: Math.sqrt(squares) };
}

function effectiveSample(weights: readonly (readonly number[])[]): number {
  let [sum, squares] = [0, 0];
  for (const [weight] of weights) {
    sum += weight;
    squares += weight ** 2;
  }
  return squares === 0 ? 0 : sum ** 2 / squares;
}

/** Returns the estimate with clipped weights, its standard error, and the bias of clipping. */
function estimateAt(decisions: readonly Decision[], name: EstimatorName, limit: number) {
  const sumsAt = (most: number) =>
    sumByList(decisions, (one) => estimators[name](one, Math.min(one.weight, most)));
  const sums = sumsAt(limit);
  const estimate = ratioOf(sums);
  const isClipped = limit < Number.POSITIVE_INFINITY;
  const bias = isClipped ? estimate.value - ratioOf(sumsAt(Number.POSITIVE_INFINITY)).value : 0;
  return { ...estimate, sums, error: Math.hypot(estimate.standardError, bias) };
}

/** Returns the limit with the least variance + squared bias; Infinity for none. */
function chooseClip(decisions: readonly Decision[]): number {
  const sorted = Float64Array.from(decisions, ({ weight }) => weight).sort();
  const limits = clipQuantiles.map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
  let best = Number.POSITIVE_INFINITY;
  let least = estimateAt(decisions, 'dr', best).error;
  for (const limit of new Set(limits.filter((one) => one > 0 && one < sorted[sorted.length - 1]))) {
    const { error } = estimateAt(decisions, 'dr', limit);
    if (error < least) [best, least] = [limit, error];
  }
  return best;
}

/** Returns the 2.5 and 97.5 percentiles of the ratio over samples of the lists with replacement. */
function bootstrap(sums: readonly (readonly number[])[]): [number, number] {
  const chance = createChance('bootstrap');
  const values = new Float64Array(bootstrapRounds);
  for (let round = 0; round < bootstrapRounds; round++) {
    let [numerator, denominator] = [0, 0];
    for (let i = 0; i < sums.length; i++) {
      const [a, b] = sums[Math.floor(chance() * sums.length)];
      numerator += a;
      denominator += b;
    }
    values[round] = denominator === 0 ? 0 : numerator / denominator;
  }
  values.sort();
  return [values[Math.floor(bootstrapRounds * 0.025)], values[Math.ceil(bootstrapRounds * 0.975) - 1]];
}
