/**
 * What a page may be for besides what its visitor likes next. Its blend is not learnt from what people turned to next, since that
 * is another question: orders speak first, and what people look at together where orders say nothing.
 */

import type { BlendWeights } from './blend.ts';

/** Beside shares of orders, which are some hundredths for what is bought most, the others speak where orders are few or none. */
export const basketWeights: BlendWeights = {
  baskets: 1,
  co_visits: 0.003,
  item_ridge: 0.0015,
  transitions: 0.0015,
  content_similarity: 0.0005,
  new_items: 0.0005,
  trending: 0.0005,
};

/** On the page of one item nothing is proposed for being wanted by everybody. */
export const companionWeights: BlendWeights = { ...basketWeights, trending: 0 };

/** All of a basket counts alike, however long ago it was filled. */
export const basketProfile = {
  stepDecay: 1,
  halfLifeSeconds: 365 * 86_400,
  contextShare: 0.6,
  maxWeight: 1,
};
