/**
 * Where the best of many sums begin, without sorting any: one count of the sums by magnitude, an eighth of a power of two a
 * step. The bits of floats above zero stand in the order of their values, so the upper ones are the step.
 */

import type { Accumulator } from './accumulator.ts';

/** A float's exponent and the first three bits of its fraction. */
const stepShift = 20;
const stepCount = 2 ** (31 - stepShift);

const counts = new Uint32Array(stepCount);
const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/**
 * A score that at least `wanted` sums reach, and not many more: those of one step at most, so up to an eighth below the score
 * wanted. Minus infinity when fewer are above zero.
 */
export function floorOfBest({ scores, touched, touchedCount }: Accumulator, wanted: number): number {
  if (touchedCount <= wanted) return Number.NEGATIVE_INFINITY;
  const scoreBits = new Int32Array(scores.buffer, scores.byteOffset, scores.length);
  counts.fill(0);
  for (let place = 0; place < touchedCount; place++) {
    const value = scoreBits[touched[place]];
    if (value > 0) counts[value >>> stepShift] += 1;
  }
  let found = 0;
  for (let step = stepCount - 1; step > 0; step--) {
    found += counts[step];
    if (found >= wanted) return leastOf(step);
  }
  return Number.NEGATIVE_INFINITY;
}

/** The least value of a step. */
function leastOf(step: number): number {
  bits[0] = step << stepShift;
  return float[0];
}
