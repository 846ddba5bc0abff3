/** Estimates the work for a request's lists, so that short requests need not wait for long ones. */

import type { RecommendationRequest } from './recommendation-request.ts';

/** In items to compose: a list costs as much as five, a history entry a fourth. */
const perList = 5;
const perHistoryEntry = 0.25;
const perExplanation = 4;

/** At most a few milliseconds of work. */
const mostShort = 150;

export type ListWork = {
  /** In items to compose; above 0. */
  cost: number;
  /** Whether the work fits between other work of a thread. */
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
