/**
 * Finds the score where the best of many sums begin without sorting: counts the sums by magnitude,
 * in steps of an eighth of a power of two. The bits of positive floats are in the order of their
 * values, so their upper bits are the step.
 */

import { type Accumulator, isLed } from './accumulator.ts';

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

/**
 * Adds values to the sums like `liftAll`, and chooses leaders among the results: at least `wanted`,
 * and few more unless hardly any is above zero. Sums lie at random places, so one pass reads them
 * and notes the results in order.
 */
export function liftAndLead(accumulator: Accumulator, values: Float32Array, wanted: number): void {
  const { scores, touched, touchedCount } = accumulator;
  const { sums, bits } = roomFor(touched.length);
  for (let place = 0; place < touchedCount; place++) {
    const index = touched[place];
    if (index < values.length) scores[index] += values[index];
    sums[place] = scores[index];
  }
  if (touchedCount > wanted) {
    counts.fill(0);
    for (let place = 0; place < touchedCount; place++) {
      if (bits[place] > 0) counts[bits[place] >>> stepShift] += 1;
    }
  }
  lead(accumulator, touchedCount > wanted ? floorOfCounts(wanted) : Number.NEGATIVE_INFINITY);
}

const noValues = new Float32Array(0);

/** Chooses an accumulator's leaders unless already chosen. */
export function ensureLeaders(accumulator: Accumulator, wanted: number): void {
  if (!isLed(accumulator)) liftAndLead(accumulator, noValues, wanted);
}

/** Sums in order of touch, and the same memory as bits. */
let noted = { sums: noValues, bits: new Int32Array(0) };

function roomFor(count: number): typeof noted {
  if (noted.sums.length >= count) return noted;
  const sums = new Float32Array(count);
  noted = { sums, bits: new Int32Array(sums.buffer) };
  return noted;
}

/** Chooses leaders from the noted sums. */
function lead(accumulator: Accumulator, floor: number): void {
  const { touched, touchedCount } = accumulator;
  if (accumulator.leaders.length < touchedCount) accumulator.leaders = new Int32Array(touched.length);
  const { leaders } = accumulator;
  const { sums } = noted;
  let count = 0;
  for (let place = 0; place < touchedCount; place++) {
    if (sums[place] >= floor) leaders[count++] = touched[place];
  }
  accumulator.leaderCount = count;
  accumulator.leaderFloor = floor;
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
