/**
 * Limits how far the rows of a request's seeds are read.
 *
 * A row holds its neighbours best first. Most rows are short, but those of popular items may hold
 * half of the catalogue (the ridge predicts everything from them), and thirty such seeds cost more
 * than all other models together. So a request reads a limited number of entries: those that add
 * most, from any seed.
 *
 *   seed s reads its entries with  weight(s) · score ≥ τ,  τ the smallest for which all seeds together stay within the budget
 *
 * Requests within the budget read everything, so their results are exact. The budget grows with the
 * query's capacity, because long histories need deeper entries.
 */

import type { Rows } from './arrays/rows.ts';
import type { Query } from './model.ts';

/** Entries per seed of the query's capacity; with fewer seeds, each reads more. */
// 40 cost MovieLens 1.0 % of its NDCG@20, 64 cost Deskdrop 0.2 %. Shares per seed, or rows cut in
// training, cost more.
export const entriesPerPlace = 96;

/** Entries every seed reads, so that equal scores cannot exclude all. */
export const leastEntries = 16;

/** Lower bound of the search for τ, relative to the greatest contribution. */
const smallestShare = 2 ** -21;
/** Halvings of its logarithm's range, which find τ within 2 %. */
const halvings = 10;

export type ReadingDepths = {
  /** Returns the entries to read per seed; valid until the next query. */
  of(query: Query): Int32Array;
};

export function createReadingDepths({ offsets, scores }: Rows): ReadingDepths {
  let depths = new Int32Array(0);
  /** Per seed: entries at the tried threshold and at its bounds. */
  let counts = new Int32Array(0);
  let fewest = new Int32Array(0);
  let most = new Int32Array(0);

  /** Sets the depths to whole rows and returns their sum. */
  const readWhole = ({ seedCount, seedLocal, seedWeight }: Query): number => {
    let total = 0;
    for (let seed = 0; seed < seedCount; seed++) {
      const local = seedLocal[seed];
      depths[seed] = local < 0 || seedWeight[seed] === 0 ? 0 : offsets[local + 1] - offsets[local];
      total += depths[seed];
    }
    return total;
  };

  const greatestContribution = ({ seedCount, seedLocal, seedWeight }: Query): number => {
    let greatest = 0;
    for (let seed = 0; seed < seedCount; seed++) {
      if (depths[seed] === 0) continue;
      greatest = Math.max(greatest, seedWeight[seed] * scores[offsets[seedLocal[seed]]]);
    }
    return greatest;
  };

  /** Counts each seed's entries at a threshold, between known bounds; returns the sum. */
  const countAll = ({ seedCount, seedLocal, seedWeight }: Query, threshold: number): number => {
    let total = 0;
    for (let seed = 0; seed < seedCount; seed++) {
      if (depths[seed] === 0) continue;
      const least = threshold / seedWeight[seed];
      const start = offsets[seedLocal[seed]];
      counts[seed] = firstBelow(scores, least, start + fewest[seed], start + most[seed]) - start;
      total += counts[seed];
    }
    return total;
  };

  const cut = (query: Query, budget: number): void => {
    /** Exceeds every contribution, so that reading at `high` stays within the budget. */
    let high = 2 * greatestContribution(query);
    let low = high * smallestShare;
    fewest.fill(0);
    most.set(depths);
    for (let turn = 0; turn < halvings; turn++) {
      const middle = Math.sqrt(low * high);
      const isTooMuch = countAll(query, middle) > budget;
      if (isTooMuch) low = middle;
      else high = middle;
      [counts, most, fewest] = isTooMuch ? [most, counts, fewest] : [fewest, most, counts];
    }
    for (let seed = 0; seed < query.seedCount; seed++) {
      if (depths[seed] > leastEntries) depths[seed] = Math.max(leastEntries, fewest[seed]);
    }
  };

  return {
    of(query) {
      const places = query.seedItemIndex.length;
      if (depths.length < places)
        [depths, counts, fewest, most] = Array.from({ length: 4 }, () => new Int32Array(places));
      const budget = entriesPerPlace * places;
      if (readWhole(query) > budget) cut(query, budget);
      return depths;
    },
  };
}

/** Returns the first place of descending scores below the least, between two bounds. */
function firstBelow(scores: Float32Array, least: number, low: number, high: number): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scores[middle] >= least) low = middle + 1;
    else high = middle;
  }
  return low;
}
