/**
 * Estimates of arms from sums over devices, with their variances, and CUPED (Deng, Xu, Kohavi and
 * Walker 2013, "Improving the Sensitivity of Online Controlled Experiments by Utilizing Pre-Experiment
 * Data"): with x what a device did in the days before its first exposure, and θ = cov(y, x) / var(x)
 * over all arms, `y - θ (x - mean of x)` has the mean of y and the variance (1 - ρ²) var(y).
 */

/** Sums over the devices of an arm. */
export type Moments = { count: number; sum: number; squares: number };

/** `products` sums part times whole; `count` is the number of devices with a whole. */
export type RateMoments = { part: Moments; whole: Moments; products: number; count: number };

/** `count` is the number of devices; `variance` is that of the estimate, not of a device. */
export type Estimate = { count: number; value: number; variance: number };

/** An estimate with the mean of its covariate, the variance of that, and the covariance of both. */
export type Adjustable = Estimate & { before: { mean: number; variance: number; covariance: number } };

export function meanOf({ count, sum, squares }: Moments): Estimate {
  if (count < 2) return { count, value: count === 0 ? 0 : sum, variance: 0 };
  const value = sum / count;
  const variance = Math.max(0, squares - count * value * value) / (count - 1);
  return { count, value, variance: variance / count };
}

/**
 * Returns the ratio of the sums. Part and whole of a device are correlated, so the variance is that
 * of `part - ratio · whole` over the mean whole (delta method; Deng, Knoblich and Lu 2018). Devices
 * without a whole do not count.
 */
export function rateOf({ part, whole, products, count }: RateMoments): Estimate {
  const value = whole.sum === 0 ? 0 : part.sum / whole.sum;
  if (count < 2) return { count, value, variance: 0 };
  const squares = part.squares - 2 * value * products + value * value * whole.squares;
  const meanWhole = whole.sum / count;
  const variance = Math.max(0, squares) / (count - 1) / (meanWhole * meanWhole);
  return { count, value, variance: variance / count };
}

/** Pairs a mean with what the same devices did before. @param both Sum of the products of the two. */
export function pairedMean(after: Moments, before: Moments, both: number): Adjustable {
  const { count } = after;
  const { value: mean, variance } = meanOf(before);
  const covariance = count < 2 ? 0 : (both - after.sum * mean) / (count - 1) / count;
  return { ...meanOf(after), before: { mean, variance, covariance } };
}

/** Products of part and whole, both after, both before, and one of each. */
export type RateProducts = { after: number; before: number; part: number; whole: number };

export type PairedRate = {
  part: Moments;
  whole: Moments;
  partBefore: Moments;
  wholeBefore: Moments;
  products: RateProducts & { parts: number; wholes: number };
  /** Devices with a whole. */
  count: number;
};

/**
 * Pairs a rate with the same rate before, both as sums of `part - rate · whole` of a device over the
 * mean whole. @param rate Rate and mean whole per device before, over all arms.
 */
export function pairedRate(arm: PairedRate, rate: { value: number; meanWhole: number }): Adjustable {
  const { part, whole, partBefore, wholeBefore, products, count } = arm;
  const estimate = rateOf({ part, whole, products: products.after, count });
  const { value } = estimate;
  const devices = part.count;
  const scale = rate.meanWhole;
  if (devices < 2 || scale === 0 || whole.sum === 0)
    return { ...estimate, before: { mean: 0, variance: 0, covariance: 0 } };
  const sum = partBefore.sum - rate.value * wholeBefore.sum;
  const squares =
    partBefore.squares - 2 * rate.value * products.before + rate.value ** 2 * wholeBefore.squares;
  const { value: mean, variance } = meanOf({ count: devices, sum, squares });
  const both =
    products.parts -
    rate.value * products.part -
    value * products.whole +
    value * rate.value * products.wholes;
  /** The sum of `part - value · whole` is 0, so the product of the means is, too. */
  const covariance = both / (devices - 1) / devices / ((whole.sum / devices) * scale);
  return { ...estimate, before: { mean: mean / scale, variance: variance / (scale * scale), covariance } };
}

/** Reduces the variance of the arms' estimates by what their devices did before; keeps their means. */
export function adjust(arms: readonly Adjustable[]): Estimate[] {
  const total = (of: (arm: Adjustable) => number) => arms.reduce((sum, arm) => sum + of(arm), 0);
  const variance = total(({ count, before }) => count * count * before.variance);
  const theta =
    variance === 0 ? 0 : total(({ count, before }) => count * count * before.covariance) / variance;
  const mean = total(({ count, before }) => count * before.mean) / (total(({ count }) => count) || 1);
  return arms.map(({ count, value, variance: own, before }) => ({
    count,
    value: value - theta * (before.mean - mean),
    variance: Math.max(0, own - 2 * theta * before.covariance + theta * theta * before.variance),
  }));
}
