/** Learns how far lists may follow the mix of a subject's interests at no cost to the answers' ranks. */

import { meanOf } from '../arrays/statistics.ts';
import { calibrate, interestShares } from '../calibration.ts';
import { sumAll } from './cached-ndcg.ts';
import { isReturn, recentsBefore } from './questions.ts';
import { discounts } from './ranking-metrics.ts';
import type { Fold, ScoreCache } from './score-cache.ts';

const strengths = [0, 0.2, 0.4, 0.6, 0.8] as const;

/** Share of the best mean that a stronger calibration may lose. */
const toleratedLoss = 0.01;

const listSize = 20;

export type CalibrationOptions = {
  cache: ScoreCache;
  weights: Float64Array;
  /** Folds of the cached questions, in order. */
  folds: readonly Fold[];
  maxRecents: number;
  categoryOf(item: number): string | undefined;
};

/**
 * Returns the largest strength whose lists rank answers nearly as well as the best; undefined when
 * no question is of a subject with interests, which alone lists follow.
 */
export function learnCalibration({ cache, weights, folds, ...options }: CalibrationOptions) {
  const totals = sumAll(cache, weights);
  const sources = folds.flatMap(({ source, questions }) => questions.map(() => source));
  const gains = strengths.map((): number[] => []);
  cache.questions.forEach((question, at) => {
    const recents = recentsBefore(sources[at], question, options.maxRecents);
    const shares = interestShares(recents, isReturn(sources[at], question), options.categoryOf);
    if (shares.size === 0) return;
    const [start, end] = [cache.offsets[at], cache.offsets[at + 1]];
    const places = Int32Array.from({ length: end - start }, (_, place) => start + place);
    places.sort((a, b) => totals[b] - totals[a] || a - b);
    const head = {
      places,
      scoreOf: (place: number) => totals[place],
      categoryOf: (place: number) => options.categoryOf(cache.items[place]),
    };
    strengths.forEach((strength, step) => {
      const list = calibrate(head, { shares, strength, listSize }).subarray(0, listSize);
      gains[step].push(gainOf(list, cache.answers[at]));
    });
  });
  if (gains[0].length === 0) return undefined;
  const means = gains.map(meanOf);
  const least = (1 - toleratedLoss) * Math.max(...means);
  return strengths[means.findLastIndex((mean) => mean >= least)];
}

function gainOf(list: Int32Array, answers: Int32Array): number {
  return answers.reduce((sum, answer) => sum + (discounts[list.indexOf(answer)] ?? 0), 0);
}
