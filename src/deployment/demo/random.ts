/**
 * Seeded random numbers: the same seed gives the same numbers on every machine. The seed is text, so that each item and
 * each visit has its own stream. FNV-1a hashes the text to 32 bits, and mulberry32 draws from them.
 */

import { hashText } from '../../ranking/runtime/hash.ts';

export type Chance = {
  /** In [0, 1). */
  fraction(): number;
  /** A whole number from min to max, both included. */
  whole(min: number, max: number): number;
  /** True with the given probability. */
  happens(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** An index drawn in proportion to its weight, or undefined when no weight is above zero. */
  weighted(weights: ArrayLike<number>): number | undefined;
};

export function createChance(seed: string): Chance {
  const fraction = mulberry32(hashText(seed));
  return {
    fraction,
    whole: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    happens: (probability) => fraction() < probability,
    pick: (choices) => choices[Math.floor(fraction() * choices.length)],
    weighted: (weights) => weightedIndex(weights, fraction()),
  };
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function weightedIndex(weights: ArrayLike<number>, fraction: number): number | undefined {
  let total = 0;
  for (let index = 0; index < weights.length; index++) total += weights[index];
  let remaining = fraction * total;
  let last: number | undefined;
  for (let index = 0; index < weights.length; index++) {
    if (weights[index] <= 0) continue;
    last = index;
    remaining -= weights[index];
    if (remaining < 0) break;
  }
  return last;
}
