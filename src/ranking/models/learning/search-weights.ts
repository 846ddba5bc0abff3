/**
 * Coordinate search: from the best single model on, moves each model's weight over a grid while the
 * mean NDCG@20 gains at least `smallestGain` of itself; models that gain less stay out. NDCG is
 * neither smooth nor convex in the weights, models are few, and a trial costs milliseconds.
 */

import { addTo, meanNdcg, meanNdcgWith, scoreWeights, sumAll } from './cached-ndcg.ts';
import type { ScoreCache } from './score-cache.ts';

/** Relative; smaller gains do not justify a model's time. */
const smallestGain = 0.001;
const mostRounds = 4;
/** Multiples of the natural weight, at which the best candidate averages 1, or the worst -1. */
const grid = [0, 0.03, 0.08, 0.15, 0.3, 0.5, 0.75, 1, 1.5, 2.5, 4];
const steps = [0.8, 0.9, 1.1, 1.25];

/** @param natural Weight at which all models count equally; 0 for a model without scores. */
export function searchWeights(
  cache: ScoreCache,
  questions: readonly number[],
  natural: readonly number[],
  start: Float64Array = bestSingle(cache, questions, natural),
): Float64Array {
  const search = createSearch(cache, questions, start);
  for (let round = 0; round < mostRounds; round++) {
    const before = search.ndcg;
    natural.forEach((unit, model) => {
      if (unit === 0) return;
      search.tryWeights(
        model,
        grid.map((multiple) => multiple * unit),
      );
    });
    if (search.ndcg <= before) break;
  }
  cache.scores.forEach((_, model) => {
    search.tryWeights(
      model,
      steps.map((factor) => factor * search.weights[model]),
    );
  });
  return search.weights;
}

function bestSingle(
  cache: ScoreCache,
  questions: readonly number[],
  natural: readonly number[],
): Float64Array {
  const singles = natural.map((unit, model) => singleWeight(natural.length, model, unit));
  const alone = singles.map((weights) => scoreWeights(cache, weights, questions));
  return singles[alone.indexOf(Math.max(...alone))];
}

/** Returns weights of one model alone. */
export function singleWeight(modelCount: number, model: number, weight: number): Float64Array {
  const weights = new Float64Array(modelCount);
  weights[model] = weight;
  return weights;
}

function createSearch(cache: ScoreCache, questions: readonly number[], start: Float64Array) {
  const weights = start.slice();
  const totals = sumAll(cache, weights);
  const state = {
    weights,
    ndcg: meanNdcg(cache, questions, totals),
    /** Adopts a model's best weight if it gains enough. */
    tryWeights(model: number, candidates: number[]): void {
      let best = weights[model];
      let bestNdcg = state.ndcg;
      const others = candidates.filter((weight) => weight !== weights[model]);
      const multiples = others.map((weight) => weight - weights[model]);
      const tried = meanNdcgWith(cache, questions, totals, cache.scores[model], multiples);
      for (const [place, weight] of others.entries()) {
        const ndcg = tried[place];
        // Leaving a model out must cost nothing; adding one must pay.
        const hurdle = weight === 0 ? 0 : smallestGain * state.ndcg;
        if (ndcg <= bestNdcg || ndcg < state.ndcg + hurdle) continue;
        best = weight;
        bestNdcg = ndcg;
      }
      if (best === weights[model]) return;
      addTo(totals, cache.scores[model], best - weights[model]);
      weights[model] = best;
      state.ndcg = bestNdcg;
    },
  };
  return state;
}
