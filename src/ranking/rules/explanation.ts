/** Explains a composed list: the rules and preferences of its items, and why an item is missing. */
import type { Catalog } from '../catalog/catalog.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import type { CandidatePool } from './candidate-pool.ts';
import type { Chooser } from './chooser.ts';

type ItemFacts = {
  /** Indexes of the rules that count the item; see countsTowards. */
  rules: number[];
  /** Indexes of the preferences that moved the item. */
  preferences: number[];
};

/** The first reason why an item is not in a list. */
export type WhyNot =
  | { outcome: 'listed'; rank: number }
  /** Disabled, of an undeclared type, or published in the future. */
  | { outcome: 'not_servable' }
  | { outcome: 'excluded' }
  /** The must that the item does not satisfy, or the rule whose other group the list has. */
  | { outcome: 'must'; ruleIndex: number }
  /** The limit that other items use up, with the item's value of the key if it has one. */
  | { outcome: 'limit'; ruleIndex: number; value?: string | number | boolean }
  /** The item is better than the last one, which this rule's minimum needs. */
  | { outcome: 'minimum'; ruleIndex: number }
  /** Places after the last picked item, and the weight and relevance lacking to it. */
  | { outcome: 'outscored'; places: number; weightLacked: number; relevanceLacked: number }
  /** The item comes after all candidates that were considered. */
  | { outcome: 'not_candidate' };

export type ListFacts = {
  /** By place in the list's items. */
  items: ItemFacts[];
  /** Explains the absence of an item; valid until the composer's next list. */
  whyNot(itemIndex: number): WhyNot;
};

type Explained = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
  nowMs: number;
  excluded?: (itemIndex: number) => boolean;
};

type ListedItem = { rank: number; itemIndex?: number };

/** Tells whether an item satisfies the rule's condition, has its key to diversify, or is in a group. */
export function countsTowards(rule: BoundRule, itemIndex: number): boolean {
  if (rule.kind === 'dropped') return false;
  if (rule.kind === 'diversify') return (rule.column?.valueKeysAt(itemIndex, []) ?? 0) > 0;
  if (rule.kind === 'must' && rule.groups) return rule.groups.some((group) => group.has(itemIndex));
  return rule.set.has(itemIndex);
}

function factsOf({ rules, preferences }: Explained, itemIndex: number | undefined): ItemFacts {
  if (itemIndex === undefined) return { rules: [], preferences: [] };
  const counted = rules.flatMap((rule, index) => (countsTowards(rule, itemIndex) ? [index] : []));
  const moving = preferences.filter(({ set, weight }) => weight !== 0 && set.has(itemIndex));
  return { rules: counted, preferences: moving.map(({ preferenceIndex }) => preferenceIndex) };
}

/** Explains the list that was chosen last. */
export function explainList(
  request: Explained,
  items: readonly ListedItem[],
  pool: CandidatePool,
  chooser: Chooser,
): ListFacts {
  const { catalog, rules, nowMs, excluded } = request;
  return {
    items: items.map(({ itemIndex }) => factsOf(request, itemIndex)),
    whyNot(itemIndex) {
      const listed = items.find((item) => item.itemIndex === itemIndex);
      if (listed) return { outcome: 'listed', rank: listed.rank };
      if (!catalog.servable(itemIndex, nowMs)) return { outcome: 'not_servable' };
      if (excluded?.(itemIndex)) return { outcome: 'excluded' };
      const must = rules.findIndex((rule) => rule.kind === 'must' && !rule.set.has(itemIndex));
      if (must >= 0) return { outcome: 'must', ruleIndex: must };
      return fullLimitOf(rules, itemIndex, pool, chooser) ?? compared(itemIndex, pool, chooser);
    },
  };
}

function fullLimitOf(
  rules: readonly BoundRule[],
  itemIndex: number,
  pool: CandidatePool,
  { selection }: Chooser,
): WhyNot | undefined {
  const limit = pool.findLimit(itemIndex, (one) => selection.isFull(one));
  if (limit < 0) return undefined;
  const ruleIndex = pool.limitRules.values[limit];
  const rule = rules[ruleIndex];
  const values = rule.kind === 'diversify' ? rule.column!.valuesAt(itemIndex) : [];
  return { outcome: 'limit', ruleIndex, ...(values.length === 1 && { value: values[0] }) };
}

/** Compares a candidate that no limit excludes with the last picked one. */
function compared(itemIndex: number, pool: CandidatePool, chooser: Chooser): WhyNot {
  const candidate = pool.candidateOf(itemIndex);
  const lastPlace = chooser.lastPickedPlace();
  if (candidate < 0 || lastPlace < 0) return { outcome: 'not_candidate' };
  const last = chooser.order.candidates.values[lastPlace];
  const places = chooser.order.places.values[candidate] - lastPlace;
  const need = places < 0 ? tightNeedAfter(chooser.order.places.values[candidate], pool, chooser) : -1;
  if (need >= 0) return { outcome: 'minimum', ruleIndex: pool.needRules.values[need] };
  return {
    outcome: 'outscored',
    places: Math.max(0, places),
    weightLacked: Math.max(0, pool.weights.values[last] - pool.weights.values[candidate]),
    relevanceLacked: Math.max(0, pool.relevances.values[last] - pool.relevances.values[candidate]),
  };
}

/** Returns the first need that requires one of the picked candidates after `place`, or -1. */
function tightNeedAfter(place: number, { wants }: CandidatePool, { selection, order }: Chooser): number {
  const { picks } = selection;
  for (let need = 0; need < wants.length; need++) {
    if (wants.values[need] <= 0 || selection.shortage(need) < 0) continue;
    for (let k = 0; k < picks.length; k++) {
      const pick = picks.values[k];
      if (order.places.values[pick] > place && selection.serves(pick, need)) return need;
    }
  }
  return -1;
}
