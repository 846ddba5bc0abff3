/**
 * Blends of pages with a special purpose, not learnt from what subjects turned to next: orders
 * count first, co-visits fill gaps.
 */

import type { BlendWeights } from './blend.ts';

/** Order shares are a few hundredths at most, so the others decide only where orders are few. */
export const basketWeights: BlendWeights = {
  baskets: 1,
  co_visits: 0.003,
  item_ridge: 0.0015,
  transitions: 0.0015,
  content_similarity: 0.0005,
  new_items: 0.0005,
  trending: 0.0005,
};

/** On an item's page, trending items are not proposed. */
export const companionWeights: BlendWeights = { ...basketWeights, trending: 0 };

/** All items of a basket count equally, whatever their age. */
export const basketProfile = {
  stepDecay: 1,
  halfLifeSeconds: 365 * 86_400,
  contextShare: 0.6,
  maxWeight: 1,
};
