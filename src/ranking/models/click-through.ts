/**
 * How often people turn to an item when it is shown to them, beside the average item:
 *
 *   score(i) = ln((answered_i + m · p) / (shown_i · p + m · p)) / ln 8, within -1…1    p: answered by shown of all items
 *
 * The ratio is the posterior mean of a rate whose prior weighs as much as m showings (Gelman et al., "Bayesian Data Analysis",
 * 2.4), so an item that nobody was shown scores 0, one that is shown and left alone falls below, and a few showings say little.
 * A person counts as one showing to three, however often the item was in view. It only lifts and lowers what others proposed.
 */

import { liftAll } from './arrays/accumulator.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, IndexMapping, Model, NoOptions } from './model.ts';

export type ClickThroughTables = {
  /** Score per local item, -1…1. */
  scores: Float32Array;
};

/** m, in showings. */
const priorShown = 10;

/** A rate so many times the average, or so small a part of it, is as good or bad as it gets. */
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
    /** Where nobody ever answers, clicks are not reported, and nothing can be told. */
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
