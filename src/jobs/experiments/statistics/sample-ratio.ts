/**
 * Tests whether devices arrive in the declared shares, valid at all times together.
 *
 * The test martingale of Lindon and Malek (2022, "Anytime-Valid Inference for Multinomial Count
 * Data") divides the likelihood of the counts under shares from a Dirichlet distribution around the
 * declared ones by the likelihood under the declared ones. If the shares are right, it exceeds 1/p
 * with a probability of at most p.
 */

/** Weight of the declared shares in devices; favours differences of a few percentage points. */
const concentration = 100;

export type SampleRatio = { pValue: number; isMismatch: boolean };

/** Low, since an alarm stops an experiment. */
const alarmBelow = 0.01;

/** @param shares Positive, adding up to 1, one for each count. */
export function checkSampleRatio(counts: readonly number[], shares: readonly number[]): SampleRatio {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let logRatio = logGamma(concentration) - logGamma(concentration + total);
  for (const [i, count] of counts.entries()) {
    const prior = concentration * shares[i];
    logRatio += logGamma(prior + count) - logGamma(prior) - count * Math.log(shares[i]);
  }
  const pValue = Math.min(1, Math.exp(-logRatio));
  return { pValue, isMismatch: pValue < alarmBelow };
}

/** Stirling's series is exact to 1e-12 from here on. */
const stirlingFrom = 12;

/** ln Γ(x) for x > 0 by Stirling's series, with Γ(x) = Γ(x + 1) / x for small x. */
export function logGamma(x: number): number {
  let shift = 0;
  let y = x;
  while (y < stirlingFrom) shift += Math.log(y++);
  const inverse = 1 / (y * y);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / y;
  return (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
