/**
 * Finds the score where the best of many sums begin without sorting: counts the sums by magnitude,
 * in steps of an eighth of a power of two. The bits of positive floats are in the order of their
 * values, so their upper bits are the step.
 */

import type { Accumulator } from './accumulator.ts';

/** Drops all but a float's exponent and the first three bits of its fraction. */
const stepShift = 20;
const stepCount = 2 ** (31 - stepShift);

const counts = new Uint32Array(stepCount);
const float = new Float32Array(1);
const floatBits = new Int32Array(float.buffer);

export type Sums = Pick<Accumulator, 'scores' | 'bits' | 'touched' | 'touchedCount'>;

/**
 * Returns a score that at least `wanted` sums reach, and few more: up to an eighth below the exact
 * score. Minus infinity if fewer are above zero.
 */
export function floorOfBest({ bits, touched, touchedCount }: Sums, wanted: number): number {
  if (touchedCount <= wanted) return Number.NEGATIVE_INFINITY;
  counts.fill(0);
  for (let place = 0; place < touchedCount; place++) {
    const value = bits[touched[place]];
    if (value > 0) counts[value >>> stepShift] += 1;
  }
  return floorOfCounts(wanted);
}

function floorOfCounts(wanted: number): number {
  let found = 0;
  for (let step = stepCount - 1; step > 0; step--) {
    found += counts[step];
    if (found >= wanted) return leastOf(step);
  }
  return Number.NEGATIVE_INFINITY;
}

/** Returns the smallest value of a step. */
function leastOf(step: number): number {
  floatBits[0] = step << stepShift;
  return float[0];
}
