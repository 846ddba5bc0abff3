/**
 * All-time popularity: ln(1 + Σ weight), divided by that of the most popular item.
 *
 * Where tastes agree (groceries, small catalogues), it proposes its head to subjects with a
 * history; the other scores only order what others proposed. The logarithm keeps the top items from
 * outweighing personal scores.
 */

import { createImpersonalModel, headLength, type ImpersonalTables } from './impersonal.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, NoOptions } from './model.ts';

export const popularity: Algorithm<Interactions, NoOptions, ImpersonalTables> = {
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
  serve: (tables, mapping) => createImpersonalModel('popularity', tables, mapping),
};
