/**
 * Groups of items that are never in one list, by branch and bound over complete compositions.
 *
 * A list composed without such a rule is at least as good as any list within it. If it has items of
 * two groups, one list is composed for each group, with a must that leaves out the items of the
 * other groups, and the best of them counts. A branch that is no better than the best known list
 * ends at once.
 */
import type { BoundRule } from './bind-configuration.ts';
import type { ComposedList, ComposeRequest } from './compose.ts';
import type { ItemSet } from './match-sets.ts';

/** Compositions of one list. Beyond them, only the first branch is followed, down to a list. */
const mostCompositions = 12;

/** A composed list, and the total relevance of its picked items. */
export type Composition = { list: ComposedList; relevance: number };

type Branch = { rules: readonly BoundRule[]; composition: Composition };

type ApartRule = Extract<BoundRule, { kind: 'must' }> & { groups: readonly ItemSet[] };

const isApart = (rule: BoundRule): rule is ApartRule => rule.kind === 'must' && rule.groups !== undefined;

/** Tells whether a composition must go through `composeApart`. */
export const hasApart = (rules: readonly BoundRule[]): boolean => rules.some(isApart);

/** Returns the best list within all rules, with facts and draws if the request asks for them. */
export function composeApart(request: ComposeRequest, compose: Compose): ComposedList {
  const plain = { ...request, explain: false, exploration: undefined };
  const start = request.rules.map((rule) => keepInjected(rule, request));
  let left = mostCompositions;
  let isCut = false;
  let best: Branch | undefined;
  const visit = (rules: readonly BoundRule[]): void => {
    const composition = compose({ ...plain, rules });
    left -= 1;
    if (best && compare(rules, composition, best.composition) <= 0) return;
    const broken = rules.findIndex((rule) => isApart(rule) && groupsIn(rule, composition).length > 1);
    if (broken < 0) {
      best = { rules, composition };
      return;
    }
    const rule = rules[broken] as ApartRule;
    const first = groupsIn(rule, composition);
    for (const group of [...first, ...rule.groups.filter((one) => !first.includes(one))]) {
      if (left <= 0 && best) isCut = true;
      else visit(rules.with(broken, keepOnly(rule, [group])));
    }
  };
  visit(start);
  const { rules, composition } = best!;
  const list = finish(request, { rules, composition }, compose);
  return isCut ? { ...list, gapBound: 1 } : list;
}

type Compose = (request: ComposeRequest) => Composition;

function finish(request: ComposeRequest, { rules, composition }: Branch, compose: Compose): ComposedList {
  if (!request.explain && !request.exploration) return composition.list;
  /** Draws may only add items of the groups that the list has; facts are of the last composition. */
  const settled = rules.map((rule) => (isApart(rule) ? keepOnly(rule, groupsIn(rule, composition)) : rule));
  return compose({ ...request, rules: settled }).list;
}

/** Returns the groups of a rule with items in the list, those with most items first. */
function groupsIn({ groups }: ApartRule, { list }: Composition): ItemSet[] {
  const counted = groups.map((group) => {
    const isIn = ({ itemIndex, injected }: ComposedList['items'][number]) =>
      itemIndex !== undefined && !injected && group.has(itemIndex);
    return { group, count: list.items.filter(isIn).length };
  });
  const present = counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return present.map(({ group }) => group);
}

/** Leaves out the items of the other groups, besides those that are left out already. */
function keepOnly(rule: ApartRule, kept: readonly ItemSet[]): BoundRule {
  const closed = rule.groups.filter((group) => !kept.includes(group));
  const has = (itemIndex: number) => rule.set.has(itemIndex) && !closed.some((group) => group.has(itemIndex));
  return { kind: 'must', set: { has, count: Number.POSITIVE_INFINITY, isExact: false }, groups: kept };
}

/** Keeps the group of the injected items, which are exempt from rules; none if they have several. */
function keepInjected(rule: BoundRule, { injected = [], catalog, nowMs }: ComposeRequest): BoundRule {
  if (!isApart(rule)) return rule;
  const present = rule.groups.filter((group) =>
    injected.some(
      ({ itemIndex }) =>
        itemIndex !== undefined && catalog.isPresent(itemIndex, nowMs) && group.has(itemIndex),
    ),
  );
  return present.length === 0 ? rule : keepOnly(rule, present.length === 1 ? present : []);
}

/** Positive if the first list is better, by the levels of compose.ts. */
function compare(rules: readonly BoundRule[], one: Composition, other: Composition): number {
  for (const isCapped of [true, false]) {
    for (const [i, rule] of rules.entries()) {
      if (rule.kind !== 'quota' || rule.min === 0) continue;
      const [a, b] = [one, other].map(({ list }) => list.rules[i].counted);
      const isOver = isCapped ? Number(a >= rule.min) - Number(b >= rule.min) : countTo(rule.min, a, b);
      if (isOver !== 0) return isOver;
    }
    const longer = one.list.items.length - other.list.items.length;
    if (longer !== 0) return longer;
  }
  return weightOf(one) - weightOf(other) || one.relevance - other.relevance;
}

const countTo = (min: number, a: number, b: number) => Math.min(min, a) - Math.min(min, b);

const weightOf = ({ list }: Composition) => list.items.reduce((sum, { weight }) => sum + weight, 0);
