/**
 * Confidence intervals for the difference of two estimates.
 *
 * `fixed` covers the true difference with the given confidence at one look: Welch's interval by the
 * normal distribution.
 *
 * `alwaysValid` covers it at all times together, so one may look often and stop at any time. It is
 * Robbins' normal mixture, as in the mixture sequential probability ratio test (Johari, Koomen,
 * Pekelis and Walsh 2022, "Always Valid Inference") and in asymptotic confidence sequences
 * (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024). With V the variance of the difference, t
 * = n₁n₂/(n₁+n₂) and α = 1 - confidence:
 *
 * radius² = V · (1 + 1/(tρ²)) · (ln(1 + tρ²) - 2 ln α)
 *
 * ρ² makes it narrowest at t = 2,500, or 5,000 devices in each arm; elsewhere it is slightly wider.
 * Both rely on the central limit theorem, require 100 devices in each arm, and use at least the
 * variance of arms that vary alike.
 */

import type { Estimate } from './moments.ts';

const fewestDevices = 100;
const narrowestAt = 2_500;

/** Probability of detecting the smallest detectable difference. */
const power = 0.8;

export type Difference = {
  value: number;
  /** Absent with too few devices. */
  radius?: number;
  isSignificant: boolean;
  smallestDetectable?: number;
};

export type Kind = 'fixed' | 'alwaysValid';

/** @param confidence Between 0 and 1, exclusive. */
export function compare(control: Estimate, arm: Estimate, kind: Kind, confidence: number): Difference {
  const value = arm.value - control.value;
  if (Math.min(control.count, arm.count) < fewestDevices) return { value, isSignificant: false };
  const variance = Math.max(control.variance + arm.variance, pooledVariance(control, arm));
  const alpha = 1 - confidence;
  const factor =
    kind === 'fixed' ? normalQuantile(1 - alpha / 2) : mixtureFactor(control.count, arm.count, alpha);
  const deviation = Math.sqrt(variance);
  const radius = factor * deviation;
  return {
    value,
    radius,
    isSignificant: Math.abs(value) > radius,
    smallestDetectable: (factor + normalQuantile(power)) * deviation,
  };
}

/**
 * Returns the variance of the difference if devices vary equally in both arms. A small arm
 * underestimates the variance of rare events: without any purchase its own variance is 0. For arms
 * of equal size, the result matches their own variances.
 */
function pooledVariance(control: Estimate, arm: Estimate): number {
  const squaresOf = ({ count, variance }: Estimate) => variance * count * (count - 1);
  const ofDevice = (squaresOf(control) + squaresOf(arm)) / (control.count + arm.count - 2);
  return ofDevice * (1 / control.count + 1 / arm.count);
}

/**
 * Returns the smallest true difference that an always-valid comparison finds with the given power.
 * @param variance Of a device, in both arms.
 */
export function detectable(
  variance: number,
  [controlCount, armCount]: readonly [number, number],
  { confidence, power: wanted = power }: { confidence: number; power?: number },
): number {
  const factor = mixtureFactor(controlCount, armCount, 1 - confidence) + normalQuantile(wanted);
  return factor * Math.sqrt(variance * (1 / controlCount + 1 / armCount));
}

/**
 * Returns the devices in all arms that an experiment needs to find a difference, at most 2^50.
 * @param shares Of the control arm and the smallest other arm.
 */
export function neededCount(
  effect: number,
  variance: number,
  shares: readonly [number, number],
  levels: { confidence: number; power?: number },
): number {
  const finds = (count: number) =>
    detectable(variance, [shares[0] * count, shares[1] * count], levels) <= effect;
  const fewest = fewestDevices / Math.min(...shares);
  let [low, high] = [0, 2 ** 50];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (middle >= fewest && finds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Returns the radius of the always-valid interval in standard deviations. */
function mixtureFactor(controlCount: number, armCount: number, alpha: number): number {
  const t = (controlCount * armCount) / (controlCount + armCount);
  const doubt = -2 * Math.log(alpha);
  const scaled = (t * (doubt + Math.log(doubt + 1))) / narrowestAt;
  return Math.sqrt((1 + 1 / scaled) * (Math.log1p(scaled) + doubt));
}

/** Closer to either end, Acklam's tail formula is more precise. */
const tail = 0.02425;

/** Inverse of the normal distribution function (Acklam); relative error below 1.2e-9. */
export function normalQuantile(p: number): number {
  if (p > 1 - tail) return -normalQuantile(1 - p);
  if (p < tail) {
    const q = Math.sqrt(-2 * Math.log(p));
    return (
      polynomial(
        q,
        [
          -7.784894002430293e-3, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
          4.374664141464968, 2.938163982698783,
        ],
      ) / polynomial(q, [7.784695709041462e-3, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1])
    );
  }
  const q = p - 0.5;
  const r = q * q;
  return (
    (q *
      polynomial(
        r,
        [
          -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
          2.506628277459239,
        ],
      )) /
    polynomial(
      r,
      [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
    )
  );
}

/** @param coefficients Highest power first. */
function polynomial(x: number, coefficients: readonly number[]): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
