/**
 * Freshness of an item: 2^(-age / half-life), with the age counted from its first contact.
 *
 * With equal contacts today, an item published this morning will be wanted more tonight than an
 * older one. News depends on it; for stable catalogues the blend learns to leave it out. Like other
 * impersonal models it raises proposed items, and proposes its head to subjects with any history.
 */

import { createImpersonalModel, headLength, type ImpersonalTables } from './impersonal.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm } from './model.ts';

export type FreshnessOptions = {
  /** Time to which ages are measured, Unix seconds. */
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

/** Returns Unix seconds per item, `never` without contact. Contacts later taken back count. */
function firstMet({ itemCount, item, timeSeconds }: Interactions): Float64Array {
  const met = new Float64Array(itemCount).fill(never);
  for (let event = 0; event < item.length; event++) {
    met[item[event]] = Math.min(met[item[event]], timeSeconds[event]);
  }
  return met;
}
