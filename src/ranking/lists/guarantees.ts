/** Guarantees of impressions: chooses the lists that deliver them, as their minimums ask for. */

import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { BoundList } from './bind-list.ts';
import type { ListRequest, RecommendationRequest } from './recommendation-request.ts';
import { createChance } from './reordered-stream.ts';

/** Returns the share of the lists that must deliver a guarantee, 0 to 1. */
export type PaceOf = (environment: string, configurationId: string, guaranteeId: string) => number;

/** Names the guarantees that each list of the request delivers. Equal requests choose equally. */
export function withGuarantees(
  request: RecommendationRequest,
  active: readonly ActiveConfiguration[],
  requestId: string,
  paceOf: PaceOf,
): RecommendationRequest {
  const lists = request.lists.map((list, i): ListRequest => {
    const guaranteed = active[i].rules.rules.flatMap((rule) => {
      if (rule.kind !== 'constraint' || !rule.guarantee) return [];
      const { guaranteeId } = rule.guarantee;
      const pace = paceOf(request.environment, list.configurationId, guaranteeId);
      const isDrawn = createChance(`${requestId}\u0000${i}\u0000${guaranteeId}`)() < pace;
      return isDrawn ? [guaranteeId] : [];
    });
    return guaranteed.length > 0 ? { ...list, guaranteed } : list;
  });
  return { ...request, lists };
}

/** Drops the guaranteed minimums that the list does not deliver; the others hold as far as possible. */
export function withoutOthers(bound: BoundList, { guaranteed }: ListRequest): BoundList {
  const declared = bound.declared.rules;
  const isDropped = (i: number) => {
    const rule = declared[i];
    if (rule?.kind !== 'constraint' || !rule.guarantee) return false;
    return !guaranteed?.includes(rule.guarantee.guaranteeId);
  };
  if (!declared.some((_, i) => isDropped(i))) return bound;
  const rules = bound.rules.map((rule, i) => (isDropped(i) ? ({ kind: 'dropped' } as const) : rule));
  return { ...bound, rules };
}
