/**
 * Click-through rate of an item relative to the average item:
 *
 *   score(i) = ln((answered_i + m · p) / (shown_i · p + m · p)) / ln 8, within -1…1    p: answered by shown of all items
 *
 * The ratio is the posterior mean of a rate whose prior weighs m impressions (Gelman et al.,
 * "Bayesian Data Analysis", 2.4): an item without impressions scores 0, an ignored item scores
 * below 0, and a few impressions change little. A subject counts as one to three impressions of an
 * item. The model only raises and lowers items that others proposed.
 */

import { liftAll } from './arrays/accumulator.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, IndexMapping, Model, NoOptions } from './model.ts';

export type ClickThroughTables = {
  /** Score per local item, -1…1. */
  scores: Float32Array;
};

/** m, in impressions. */
const priorShown = 10;

/** Ratio to the average rate, or its inverse, at which the score saturates. */
const greatestRatio = 8;

export const clickThrough: Algorithm<
  Pick<Interactions, 'itemCount' | 'exposures'>,
  NoOptions,
  ClickThroughTables
> = {
  name: 'click_through',
  train({ itemCount, exposures }) {
    const shown = new Float64Array(itemCount);
    const answered = new Float64Array(itemCount);
    exposures?.item.forEach((item, row) => {
      shown[item] += exposures.shown[row];
      answered[item] += exposures.answered[row];
    });
    const rate = sumOf(answered) / Math.max(1, sumOf(shown));
    /** Without any answer clicks are not reported, so rates are unknown. */
    if (rate === 0) return { scores: new Float32Array(itemCount) };
    const scores = Float32Array.from(shown, (count, item) => {
      const ratio = (answered[item] / rate + priorShown) / (count + priorShown);
      return Math.max(-1, Math.min(1, Math.log(ratio) / Math.log(greatestRatio)));
    });
    return { scores };
  },
  serve: ({ scores }, mapping) => createClickThroughModel(scores, mapping),
};

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function createClickThroughModel(scores: Float32Array, mapping: IndexMapping): Model {
  return {
    name: 'click_through',
    role: 'lifts',
    standing: { scores, share: 1 },
    accumulate(query, weight, accumulator) {
      if (query.seedCount > 0) liftAll(accumulator, scores, weight);
    },
    explain(query, weight, itemIndex) {
      const local = mapping.localOf[itemIndex] ?? -1;
      const score = local < 0 || query.seedCount === 0 ? 0 : weight * scores[local];
      return score === 0 ? [] : [{ score }];
    },
  };
}
