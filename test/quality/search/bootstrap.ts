/**
 * Whether one version of search is better than another: paired differences of every query, and what chance does to their mean.
 *
 * A collection counts by the mean over its queries, and all collections alike, so that a large one decides nothing alone. The
 * bootstrap draws queries within each collection (Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006).
 */
import { createChance } from '../../../src/deployment/demo/random.ts';

/** A measure between 0 and 1 by query. */
export type Figures = Record<string, number>;
/** By collection. */
export type CollectionFigures = Record<string, Figures>;

/** A mean gain with the limits of its 95 % interval. */
export type Gained = {
  queries: number;
  before: number;
  after: number;
  gain: number;
  low: number;
  high: number;
};

export type Verdict = { collections: Record<string, Gained>; pooled: Gained; isKept: boolean };

const draws = 2_000;

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / Math.max(1, values.length);
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The means of so many samples, each drawn from the differences with replacement. */
function resampledMeans(name: string, differences: Float64Array): Float64Array {
  const chance = createChance(`bootstrap ${name}`);
  return Float64Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++)
      sum += differences[Math.floor(chance.fraction() * differences.length)];
    return sum / Math.max(1, differences.length);
  });
}

function gained(queries: number, before: number, after: number, means: Float64Array): Gained {
  const sorted = means.slice().sort();
  return {
    queries,
    before,
    after,
    gain: after - before,
    low: quantile(sorted, 0.025),
    high: quantile(sorted, 0.975),
  };
}

/** Queries that only one of the two has are left out. */
export function compareFigures(before: CollectionFigures, after: CollectionFigures): Verdict {
  const collections: Record<string, Gained> = {};
  const pooledMeans = new Float64Array(draws);
  const names = Object.keys(after).filter((name) => name in before);
  for (const name of names) {
    const queries = Object.keys(after[name]).filter((query) => query in before[name]);
    const differences = Float64Array.from(queries, (query) => after[name][query] - before[name][query]);
    const means = resampledMeans(name, differences);
    for (let i = 0; i < draws; i++) pooledMeans[i] += means[i] / names.length;
    const meanOf = (figures: Figures): number => mean(queries.map((query) => figures[query]));
    collections[name] = gained(queries.length, meanOf(before[name]), meanOf(after[name]), means);
  }
  const all = Object.values(collections);
  const pooled = gained(
    all.reduce((sum, { queries }) => sum + queries, 0),
    mean(all.map((one) => one.before)),
    mean(all.map((one) => one.after)),
    pooledMeans,
  );
  return { collections, pooled, isKept: pooled.low > 0 && all.every(({ high }) => high >= 0) };
}
