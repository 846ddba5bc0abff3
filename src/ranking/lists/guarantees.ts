/**
 * Guarantees of impressions and stock budgets: chooses the lists that deliver minimums, and the items
 * that lists leave out.
 */

import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import type { BoundList } from './bind-list.ts';
import type { ListRequest, RecommendationRequest } from './recommendation-request.ts';
import { createChance } from './reordered-stream.ts';

/** Returns the share of the lists that must deliver a guarantee, 0 to 1. */
export type PaceOf = (environment: string, configurationId: string, guaranteeId: string) => number;

/** Items to leave out: bit i % 8 of byte i / 8, in base64. Equal versions of a node have equal bits. */
export type SpentItems = { version: number; bits: string };

/** Returns the items that have used up their stock budget, if there are any. */
export type SpentOf = (environment: string, configurationId: string) => SpentItems | undefined;

/** Tells which items a list leaves out for their stock budget; undefined if none. */
export function spentIn({ spent }: ListRequest): ((itemIndex: number) => boolean) | undefined {
  if (!spent) return undefined;
  const bits = Buffer.from(spent.bits, 'base64');
  return (itemIndex) => (bits[itemIndex >>> 3] & (1 << (itemIndex & 7))) !== 0;
}

/** Names the guarantees that each list of the request delivers. Equal requests choose equally. */
export function withGuarantees(
  request: RecommendationRequest,
  active: readonly ActiveConfiguration[],
  requestId: string,
  { paceOf, spentOf }: { paceOf: PaceOf; spentOf: SpentOf },
): RecommendationRequest {
  const lists = request.lists.map((list, i): ListRequest => {
    const guaranteed = active[i].rules.rules.flatMap((rule) => {
      if (rule.kind !== 'constraint' || !rule.guarantee) return [];
      const { guaranteeId } = rule.guarantee;
      const pace = paceOf(request.environment, list.configurationId, guaranteeId);
      const isDrawn = createChance(`${requestId}\u0000${i}\u0000${guaranteeId}`)() < pace;
      return isDrawn ? [guaranteeId] : [];
    });
    const spent = active[i].settings.stockBudget && spentOf(request.environment, list.configurationId);
    return guaranteed.length > 0 || spent ? { ...list, guaranteed, spent } : list;
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
