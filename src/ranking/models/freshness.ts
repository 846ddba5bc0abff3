/**
 * How new an item is: 2^(-age / half-life), its age counted from the first time that anybody met it.
 *
 * Of two items that as many people turned to today, the one that came this morning will be wanted more tonight. News live
 * by it; where the catalogue stays, the blend learns to leave it out. Like the other impersonal models it lifts what others
 * proposed, and proposes its head to whoever is known by something.
 */

import { createImpersonalModel, headLength, type ImpersonalTables } from './impersonal.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm } from './model.ts';

export type FreshnessOptions = {
  /** The moment to which ages are measured, Unix seconds. */
  nowSeconds: number;
  halfLifeSeconds?: number;
};

const defaultFreshnessHalfLifeSeconds = 12 * 86_400;

export const freshness: Algorithm<Interactions, FreshnessOptions, ImpersonalTables> = {
  name: 'freshness',
  train(interactions, { nowSeconds, halfLifeSeconds = defaultFreshnessHalfLifeSeconds }) {
    const met = firstMet(interactions);
    const scores = Float32Array.from(met, (seconds) =>
      seconds === never ? 0 : 2 ** (-Math.max(0, nowSeconds - seconds) / halfLifeSeconds),
    );
    const items = Int32Array.from(met.keys()).filter((item) => met[item] !== never);
    items.sort((a, b) => met[b] - met[a] || a - b);
    return { scores, head: items.slice(0, headLength) };
  },
  serve: (tables, mapping) => createImpersonalModel('freshness', tables, mapping),
};

const never = Number.POSITIVE_INFINITY;

/** Unix seconds per item, never for what nobody met. What was taken back was met as well. */
function firstMet({ itemCount, item, timeSeconds }: Interactions): Float64Array {
  const met = new Float64Array(itemCount).fill(never);
  for (let event = 0; event < item.length; event++) {
    met[item[event]] = Math.min(met[item[event]], timeSeconds[event]);
  }
  return met;
}
