/** Estimates the work of making the lists of a request, so that short requests need not wait for long ones. */

import type { RecommendationRequest } from './recommendation-request.ts';

/** In items to compose. An entry of a history costs about a fourth of an item, and a list as much as five. */
const perList = 5;
const perHistoryEntry = 0.25;
const perExplanation = 4;

/** Takes some milliseconds at most. */
const mostShort = 150;

export type ListWork = {
  /** Above 0, in items to compose. */
  cost: number;
  /** May be done between other work of a thread. */
  isShort: boolean;
};

export function workOf({
  lists,
  histories,
  explain,
}: Pick<RecommendationRequest, 'lists' | 'histories' | 'explain'>): ListWork {
  const items = lists.reduce((sum, { listSize, injected }) => sum + perList + listSize + injected.length, 0);
  const entries = histories.reduce((sum, history) => sum + history.length, 0);
  const cost = (items + perHistoryEntry * entries) * (explain ? perExplanation : 1);
  return { cost, isShort: cost <= mostShort };
}
