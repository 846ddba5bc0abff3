/**
 * The weights that rank the answers best, by coordinate search on cached scores.
 *
 * From the best single model on, each model's weight in turn is moved over a grid as long as the mean NDCG@20 of the questions
 * gains at least `smallestGain` of itself; a model that gains less stays out. NDCG is neither smooth nor convex in the
 * weights, the number of models is small, and a trial costs milliseconds.
 *
 * One search fits the chance of its questions too. So several are made, each on the questions of some of the subjects, and
 * their weights averaged (Breiman, "Bagging Predictors", 1996; without replacement: Bühlmann, Yu, 2002); then the mean is
 * evened out towards what each model is worth alone.
 */

import { mixed } from '../arrays/mixed.ts';
import { discounts, idealGain } from './ranking-metrics.ts';
import type { ScoreCache } from './score-cache.ts';

export type LearntWeights = {
  /** By the order of the cache's models. */
  weights: Float64Array;
  /** Mean NDCG@20 of the questions. */
  ndcg: number;
};

const ndcgDepth = 20;
/** Relative; below it a model costs more time than it is worth. */
const smallestGain = 0.001;
const mostRounds = 4;
/** Multiples of a model's natural weight: that at which its best candidate scores 1, or its worst -1, on average. */
const grid = [0, 0.03, 0.08, 0.15, 0.3, 0.5, 0.75, 1, 1.5, 2.5, 4];
const steps = [0.8, 0.9, 1.1, 1.25];

/** Searches, and the share of the subjects that each sees. */
const searchCount = 9;
const searchShare = 0.4;
/** A search that would see fewer questions sees all. */
const fewestSearched = 20;

/** @param questions Positions in the cache; by default all. */
export function learnWeights(
  cache: ScoreCache,
  questions?: readonly number[],
  start?: Float64Array,
): LearntWeights {
  const chosen = questions ?? Array.from(cache.questions.keys());
  const natural = cache.scores.map((_, model) => naturalWeight(cache, model, chosen));
  const mean = new Float64Array(natural.length);
  for (let search = 0; search < searchCount; search++) {
    const seen = chosen.filter((question) => isSeen(cache.questions[question].subject, search));
    const found = searchWeights(cache, seen.length < fewestSearched ? chosen : seen, natural, start);
    toShares(found, natural).forEach((weight, model) => {
      mean[model] += weight / searchCount;
    });
  }
  return evenOut(cache, chosen, mean, priorOf(cache, chosen, natural));
}

function searchWeights(
  cache: ScoreCache,
  questions: readonly number[],
  natural: readonly number[],
  start?: Float64Array,
): Float64Array {
  const search = createSearch(cache, questions, start ?? bestSingle(cache, questions, natural));
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

/** Decided by number, so that the same events give the same weights. */
function isSeen(subject: number, search: number): boolean {
  return mixed(Math.imul(subject + 1, 0x9e3779b1) + search) < searchShare * 2 ** 32;
}

/** Weights in natural units that add up to 1, so that no search counts more than another. */
function toShares(weights: Float64Array, natural: readonly number[]): Float64Array {
  const total = weights.reduce(
    (sum, weight, model) => sum + (natural[model] > 0 ? weight / natural[model] : 0),
    0,
  );
  return total > 0 ? weights.map((weight) => weight / total) : weights;
}

/** Shares of the prior. */
const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];

/**
 * Between the weights found and the prior: the mean of the mixtures, each counting as much as its loss of NDCG is likely to
 * be chance (a normal density of the loss in standard errors of the difference).
 *
 * What people do next year differs from what they did last month, and several models err less together than the one that
 * was best alone; where the weights found are better beyond doubt, they stay.
 */
function evenOut(
  cache: ScoreCache,
  questions: readonly number[],
  found: Float64Array,
  prior: Prior,
): LearntWeights {
  const mix = (share: number): LearntWeights & { scores: Float64Array } => {
    const weights = found.map((weight, model) => (1 - share) * weight + share * prior.weights[model]);
    const scores = ndcgByQuestion(cache, questions, weights);
    return { weights, scores, ndcg: meanOf(scores) };
  };
  const start = mix(0);
  let total = 0;
  let sum = 0;
  for (const share of shares) {
    const losses = mix(share).scores.map((score, place) => start.scores[place] - score);
    const likelihood = Math.exp(-0.5 * (Math.max(0, meanOf(losses)) / (standardError(losses) || 1)) ** 2);
    total += likelihood;
    sum += likelihood * share;
  }
  const { weights, ndcg } = mix(sum / total);
  if (ndcg >= Math.min(start.ndcg, prior.bestSingleNdcg)) return { weights, ndcg };
  return { weights: found, ndcg: start.ndcg };
}

type Prior = { weights: Float64Array; bestSingleNdcg: number };

/** Each model as much as it is worth alone: its natural weight times the square of its NDCG beside that of the best. */
function priorOf(cache: ScoreCache, questions: readonly number[], natural: readonly number[]): Prior {
  const alone = natural.map((_, model) =>
    scoreWeights(
      cache,
      Float64Array.from(natural, (_, other) => (other === model ? 1 : 0)),
      questions,
    ),
  );
  const bestSingleNdcg = Math.max(0, ...alone);
  const worth = alone.map((ndcg) => (bestSingleNdcg === 0 ? 0 : (ndcg / bestSingleNdcg) ** 2));
  const weights = Float64Array.from(natural, (unit, model) => unit * worth[model]);
  return { weights: toShares(weights, natural), bestSingleNdcg };
}

/** NDCG@20 of each question. */
export function ndcgByQuestion(
  cache: ScoreCache,
  questions: readonly number[],
  weights: Float64Array,
): Float64Array {
  const totals = sumAll(cache, weights);
  return Float64Array.from(questions, (question) => ndcgOf(cache, question, totals, undefined));
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function standardError(values: Float64Array): number {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares) / Math.max(1, values.length);
}

/** Mean NDCG@20 of the questions under some weights. */
export function scoreWeights(
  cache: ScoreCache,
  weights: Float64Array,
  questions?: readonly number[],
): number {
  return createSearch(cache, questions ?? Array.from(cache.questions.keys()), weights).ndcg;
}

function bestSingle(
  cache: ScoreCache,
  questions: readonly number[],
  natural: readonly number[],
): Float64Array {
  let best = new Float64Array(natural.length);
  let bestNdcg = -1;
  natural.forEach((unit, model) => {
    const single = new Float64Array(natural.length);
    single[model] = unit;
    const ndcg = scoreWeights(cache, single, questions);
    if (ndcg <= bestNdcg) return;
    best = single;
    bestNdcg = ndcg;
  });
  return best;
}

function naturalWeight({ scores, offsets }: ScoreCache, model: number, questions: readonly number[]): number {
  let sum = 0;
  for (const question of questions) {
    let best = 0;
    for (let at = offsets[question]; at < offsets[question + 1]; at++)
      best = Math.max(best, Math.abs(scores[model][at]));
    sum += best;
  }
  return sum > 0 ? questions.length / sum : 0;
}

function createSearch(cache: ScoreCache, questions: readonly number[], start: Float64Array) {
  const weights = start.slice();
  const totals = sumAll(cache, weights);
  const state = {
    weights,
    ndcg: meanNdcg(cache, questions, totals),
    /** Takes the best of the given weights for a model if it gains enough. */
    tryWeights(model: number, candidates: number[]): void {
      let best = weights[model];
      let bestNdcg = state.ndcg;
      for (const weight of candidates) {
        if (weight === weights[model]) continue;
        const ndcg = meanNdcg(cache, questions, totals, {
          scores: cache.scores[model],
          by: weight - weights[model],
        });
        // Leaving a model out must only not cost anything; taking one in must pay.
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

function sumAll({ scores, items, offsets }: ScoreCache, weights: Float64Array): Float64Array {
  const totals = new Float64Array(Math.min(items.length, offsets[offsets.length - 1]));
  scores.forEach((values, model) => {
    addTo(totals, values, weights[model]);
  });
  return totals;
}

function addTo(totals: Float64Array, scores: Float32Array, weight: number): void {
  if (weight === 0) return;
  for (let at = 0; at < totals.length; at++) totals[at] += weight * scores[at];
}

type Change = { scores: Float32Array; by: number };

function meanNdcg(
  cache: ScoreCache,
  questions: readonly number[],
  totals: Float64Array,
  change?: Change,
): number {
  let sum = 0;
  for (const question of questions) sum += ndcgOf(cache, question, totals, change);
  return questions.length === 0 ? 0 : sum / questions.length;
}

/** An answer's rank is one more than the candidates before it; ties are ordered by index. */
function ndcgOf(
  { offsets, answers, questions }: ScoreCache,
  question: number,
  totals: Float64Array,
  change: Change | undefined,
): number {
  const by = change?.by ?? 0;
  const scores = change?.scores ?? totals;
  const end = offsets[question + 1];
  let gain = 0;
  for (const answer of answers[question]) {
    const score = totals[answer] + by * scores[answer];
    let before = 0;
    for (let at = offsets[question]; at < end && before < ndcgDepth; at++) {
      const other = totals[at] + by * scores[at];
      if (other > score || (other === score && at < answer)) before += 1;
    }
    if (before < ndcgDepth) gain += discounts[before];
  }
  return gain / idealGain(questions[question].answers.length, ndcgDepth);
}
