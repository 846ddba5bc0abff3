/**
 * Popularity of all time: ln(1 + Σ weight), divided by that of the most popular item.
 *
 * Where people want what all want (groceries, a small catalogue), it proposes its head to whoever has a history; what lies
 * below only orders what others proposed. The logarithm keeps the few best from drowning everything personal.
 */

import { liftAll, touchFirst } from './arrays/accumulator.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, IndexMapping, Model } from './model.ts';

export type PopularityOptions = Record<string, never>;

export type PopularityTables = {
  /** Score per local item, 0…1. */
  scores: Float32Array;
  /** The most popular local items, best first. */
  head: Int32Array;
};

/** Items proposed; the fallbacks fill longer lists. */
const headLength = 100;

export const popularity: Algorithm<Interactions, PopularityOptions, PopularityTables> = {
  name: 'popularity',
  train({ itemCount, item, weight }) {
    const sums = new Float64Array(itemCount);
    for (let event = 0; event < item.length; event++) sums[item[event]] += weight[event];
    const best = Math.log1p(sums.reduce((most, sum) => Math.max(most, sum), 0));
    const scores = Float32Array.from(sums, (sum) => (sum > 0 ? Math.log1p(sum) / best : 0));
    const met = Int32Array.from(scores.keys()).filter((local) => scores[local] > 0);
    met.sort((a, b) => scores[b] - scores[a] || a - b);
    return { scores, head: met.slice(0, headLength) };
  },
  serve: (tables, mapping) => createPopularityModel(tables, mapping),
};

function createPopularityModel({ scores, head }: PopularityTables, mapping: IndexMapping): Model {
  const touchHead: Model['accumulateRest'] = (query, _weight, accumulator) => {
    if (query.seedCount > 0) touchFirst(accumulator, head, head.length, mapping.itemIndexOf);
  };
  return {
    name: 'popularity',
    role: 'lifts',
    standing: { scores, share: 1 },
    accumulateRest: touchHead,
    accumulate(query, weight, accumulator) {
      if (query.seedCount === 0) return;
      touchHead(query, weight, accumulator);
      liftAll(accumulator, scores, mapping.localOf, weight);
    },
    explain(query, weight, itemIndex) {
      const local = mapping.localOf[itemIndex] ?? -1;
      const score = local < 0 || query.seedCount === 0 ? 0 : weight * scores[local];
      return score === 0 ? [] : [{ score }];
    },
  };
}
