/** Sums over the devices of an arm. */
export type Moments = { count: number; sum: number; squares: number };

/** `products` sums part times whole; `count` is the number of devices with a whole. */
export type RateMoments = { part: Moments; whole: Moments; products: number; count: number };

/** `count` is the number of devices; `variance` is that of the estimate, not of a device. */
export type Estimate = { count: number; value: number; variance: number };

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
