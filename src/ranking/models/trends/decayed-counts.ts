/**
 * Counts per item with a half-life, by forward decay (Cormode, Shkapenyuk, Srivastava, Xu, "Forward
 * Decay", 2009): additions are scaled by 2^((time − landmark) / half-life), so that stored sums
 * never change with time.
 */

import { grow } from '../arrays/rows.ts';

/** Half-lives after which the landmark moves: sums stay exact in a float64. */
const mostHalfLives = 64;

export type DecayedCounts = {
  /** @param atSeconds Unix seconds; may be earlier than previous counts. */
  add(index: number, atSeconds: number, weight: number): void;
  /** Returns the counts of some indexes at a time, each at least 0. */
  at(indexes: Int32Array, nowSeconds: number): Float64Array;
};

export function createDecayedCounts(halfLifeSeconds: number): DecayedCounts {
  let sums = new Float64Array(1_024);
  let landmark = Number.NaN;

  const moveLandmark = (atSeconds: number): void => {
    const factor = 2 ** ((landmark - atSeconds) / halfLifeSeconds);
    for (let index = 0; index < sums.length; index++) sums[index] *= factor;
    landmark = atSeconds;
  };
  return {
    add(index, atSeconds, weight) {
      if (Number.isNaN(landmark)) landmark = atSeconds;
      if (atSeconds - landmark > mostHalfLives * halfLifeSeconds) moveLandmark(atSeconds);
      sums = grow(sums, index + 1);
      sums[index] += weight * 2 ** ((atSeconds - landmark) / halfLifeSeconds);
    },
    at(indexes, nowSeconds) {
      const factor = 2 ** ((landmark - nowSeconds) / halfLifeSeconds);
      const counts = new Float64Array(indexes.length);
      for (let place = 0; place < indexes.length; place++) {
        const index = indexes[place];
        if (index < sums.length && sums[index] > 0) counts[place] = sums[index] * factor;
      }
      return counts;
    },
  };
}
