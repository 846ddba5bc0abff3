/**
 * How far the rows of a request's seeds are read.
 *
 * A row holds its neighbours best first. Most rows are short, but those of popular items may hold half of the catalogue (the
 * ridge predicts everything from them), and thirty such seeds cost more than all other models together. So a request reads so
 * many entries and no more: those that add most, whichever seed they belong to.
 *
 *   seed s reads its entries with  weight(s) · score ≥ τ,  τ the smallest for which all seeds together stay within the budget
 *
 * What fits into the budget is read whole, and the answer is then the same as without one. The budget grows with the seeds that
 * a query has room for: who asks with long histories wants what is far down, too.
 */

import type { Rows } from './arrays/rows.ts';
import type { Query } from './model.ts';

/** Entries for each seed that a query has room for; a request with fewer seeds reads more of each. */
// 40 cost MovieLens 1.0 % of its NDCG@20, 64 cost Deskdrop 0.2 %. Shares per seed, or rows cut in
// training, cost more.
export const entriesPerPlace = 96;

/** A seed reads so many whatever they add, so that equal scores cannot keep all out. */
export const leastEntries = 16;

/** τ is looked for down to such a part of the greatest contribution … */
const smallestShare = 2 ** -21;
/** … by halving the range of its logarithm, which leaves it within 2 %. */
const halvings = 10;

export type ReadingDepths = {
  /** By seed: how many entries of its row count. Good until the next query. */
  of(query: Query): Int32Array;
};

export function createReadingDepths({ offsets, scores }: Rows): ReadingDepths {
  let depths = new Int32Array(0);
  /** By seed: what it reads at the threshold that is tried, and at those between which the right one lies. */
  let counts = new Int32Array(0);
  let fewest = new Int32Array(0);
  let most = new Int32Array(0);

  /** Writes what every seed would read on its own, and returns the sum. */
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

  /** Entries of a row with at least a score, known to be between two numbers. */
  const countFrom = (row: number, least: number, atLeast: number, atMost: number): number => {
    const start = offsets[row];
    let low = start + atLeast;
    let high = start + atMost;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (scores[middle] >= least) low = middle + 1;
      else high = middle;
    }
    return low - start;
  };

  /** Writes what every seed reads at a threshold, by what it reads at a greater and at a smaller one; returns the sum. */
  const countAll = ({ seedCount, seedLocal, seedWeight }: Query, threshold: number): number => {
    let total = 0;
    for (let seed = 0; seed < seedCount; seed++) {
      if (depths[seed] === 0) continue;
      const least = threshold / seedWeight[seed];
      counts[seed] = countFrom(seedLocal[seed], least, fewest[seed], most[seed]);
      total += counts[seed];
    }
    return total;
  };

  const cut = (query: Query, budget: number): void => {
    const { seedCount } = query;
    /** Nothing adds so much, so what is read at `high` never exceeds the budget. */
    let high = 2 * greatestContribution(query);
    let low = high * smallestShare;
    fewest.fill(0, 0, seedCount);
    most.set(depths.subarray(0, seedCount));
    for (let turn = 0; turn < halvings; turn++) {
      const middle = Math.sqrt(low * high);
      const isTooMuch = countAll(query, middle) > budget;
      if (isTooMuch) low = middle;
      else high = middle;
      [counts, most, fewest] = isTooMuch ? [most, counts, fewest] : [fewest, most, counts];
    }
    for (let seed = 0; seed < seedCount; seed++) {
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
