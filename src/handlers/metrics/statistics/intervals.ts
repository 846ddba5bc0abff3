/**
 * Intervals for the difference of two estimates.
 *
 * `fixed` holds the true difference with the given confidence for somebody who looks once: Welch's, by the normal distribution.
 *
 * `alwaysValid` holds it at all moments together, so one may look as often as one likes and stop when one likes. It is Robbins' normal
 * mixture, as in the mixture sequential probability ratio test (Johari, Koomen, Pekelis and Walsh 2022, "Always Valid Inference") and in asymptotic
 * confidence sequences (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024). With V the variance of the difference, t = n₁n₂/(n₁+n₂)
 * and α = 1 - confidence:
 *
 *     radius² = V · (1 + 1/(tρ²)) · (ln(1 + tρ²) - 2 ln α)
 *
 * ρ² makes it narrowest at t = 2,500, that is at 5,000 devices an arm; elsewhere it is little wider. Both rest on the central
 * limit theorem, speak only from 100 devices in each arm on, and take V for no less than that of arms whose devices vary alike.
 */

import type { Estimate } from './moments.ts';

const fewestDevices = 100;
const narrowestAt = 2_500;

/** How often a smallest detectable difference would have been detected. */
const power = 0.8;

export type Difference = {
  value: number;
  /** Absent with too few devices. */
  radius?: number;
  isSignificant: boolean;
  smallestDetectable?: number;
};

export type Kind = 'fixed' | 'alwaysValid';

/** @param confidence Above 0, below 1. */
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
 * Of the difference, if devices vary as much in one arm as in the other. Of something rare a small arm has seen too little to know: where
 * by chance none of its devices bought, its own variance is 0. For arms of one size this says what their own variances say.
 */
function pooledVariance(control: Estimate, arm: Estimate): number {
  const squaresOf = ({ count, variance }: Estimate) => variance * count * (count - 1);
  const ofDevice = (squaresOf(control) + squaresOf(arm)) / (control.count + arm.count - 2);
  return ofDevice * (1 / control.count + 1 / arm.count);
}

/** Standard deviations of the difference that the always-valid interval reaches. */
function mixtureFactor(controlCount: number, armCount: number, alpha: number): number {
  const t = (controlCount * armCount) / (controlCount + armCount);
  const doubt = -2 * Math.log(alpha);
  const scaled = (t * (doubt + Math.log(doubt + 1))) / narrowestAt;
  return Math.sqrt((1 + 1 / scaled) * (Math.log1p(scaled) + doubt));
}

/** Below this distance from either end Acklam's tail formula is the better one. */
const tail = 0.02425;

/** The inverse of the normal distribution function by Acklam's rational approximation, to 1.2e-9 of its value. */
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

/** Highest power first. */
function polynomial(x: number, coefficients: readonly number[]): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
