/** Explains items of a list and absent items, from facts of the rules and parts of the models. */

import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { Explanation } from '../models/blend.ts';
import type { Reason } from '../models/model.ts';
import type { BoundRule } from '../rules/bind-configuration.ts';
import type { ComposedList, InjectedItem } from '../rules/compose.ts';
import type { WhyNot } from '../rules/explanation.ts';
import { keysOf, type Preference, type Rule } from '../rules/types.ts';
import type {
  Absence,
  AbsenceReason,
  ExploredList,
  HistoryVariable,
  ItemExplanation,
  ItemName,
  ListExplanation,
  ListItem,
  ListStep,
  ModelPart,
  RuleExplanation,
} from './recommendation-request.ts';

/** History items named as reasons for one model's part. */
const mostReasons = 5;

/** Tolerance for summing a list's relevance in another order. */
const roundingError = 1e-12;

export type ExplainOptions = {
  environment: ListEnvironment;
  nowMs: number;
  composed: ComposedList;
  /** The answered items, in the order of `composed`. */
  items: readonly ListItem[];
  /** The step that supplied each item. */
  steps: readonly ListStep[];
  explored?: ExploredList;
  bound: readonly BoundRule[];
  rules: readonly Rule[];
  preferences: readonly Preference[];
  whyNot: readonly ItemName[];
  historyVariables: HistoryVariable[];
  scoredCount: number;
  scoreOf(itemIndex: number): Explanation | undefined;
  /** Returns the item with the deciding score: itself, or the best of its ordered group. */
  placedBy(itemIndex: number): number;
  /** Returns why the subject, the page or the settings exclude an item, if they do. */
  exclusionOf(itemIndex: number): AbsenceReason | undefined;
};

export function explainList(options: ExplainOptions): ListExplanation {
  const { composed, bound, rules, whyNot, scoredCount, historyVariables } = options;
  const items = composed.items.map((_, place) => explainItem(place, options));
  return {
    items,
    rules: composed.rules.slice(0, rules.length).map((counts, i): RuleExplanation => {
      return {
        matched: counts.matched,
        used: counts.counted,
        cut: counts.cut,
        dropped: bound[i].kind === 'dropped',
      };
    }),
    whyNot: whyNot.map((name) => explainAbsence(name, lastScore(items), options)),
    historyVariables,
    scoredCount,
    weighedCount: composed.candidateCount,
    gapBound: composed.gapBound > roundingError ? composed.gapBound : 0,
  };
}

function explainItem(
  place: number,
  { composed, items, steps, explored, rules, preferences, placedBy, scoreOf, environment }: ExplainOptions,
): ItemExplanation {
  const { itemIndex, injected } = composed.items[place];
  const facts = composed.facts!.items[place];
  const placer = itemIndex === undefined ? undefined : placedBy(itemIndex);
  const explanation = placer === undefined ? undefined : scoreOf(placer);
  const slot = explored?.slots.find(({ rank }) => rank === items[place].rank);
  return {
    ...items[place],
    source: sourceOf(injected, explanation),
    step: steps[place],
    placedByItemId: placer === itemIndex ? undefined : environment.catalog.itemIdAt(placer!),
    constraintIndexes: facts.rules.filter((ruleIndex) => ruleIndex < rules.length),
    preferences: facts.preferences
      .filter((preferenceIndex) => preferenceIndex >= 0)
      .map((preferenceIndex) => ({ preferenceIndex, weight: preferences[preferenceIndex].weight })),
    score: explanation?.score ?? 0,
    parts: (explanation?.parts ?? [])
      .filter(({ score }) => score !== 0)
      .map((part) => toPart(part, environment)),
    explored: slot ? true : undefined,
    propensity: slot?.propensity,
  };
}

function sourceOf(
  injected: InjectedItem | undefined,
  explanation: Explanation | undefined,
): ItemExplanation['source'] {
  if (injected) return injected.isPin ? 'pinned' : 'injected';
  return explanation ? 'models' : 'fallback';
}

function toPart(
  { model, score, reasons }: Explanation['parts'][number],
  { catalog }: ListEnvironment,
): ModelPart {
  const byItem = new Map<number, number>();
  for (const { seedItemIndex = -1, score: part } of reasons as Reason[]) {
    if (seedItemIndex >= 0) byItem.set(seedItemIndex, (byItem.get(seedItemIndex) ?? 0) + part);
  }
  const strongest = [...byItem].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, mostReasons);
  return { model, score, reasonItemIds: strongest.map(([itemIndex]) => catalog.itemIdAt(itemIndex)) };
}

/** Returns the score of the last item that models scored; 0 if there is none. */
function lastScore(items: readonly ItemExplanation[]): number {
  return items.findLast(({ source }) => source === 'models')?.score ?? 0;
}

function explainAbsence(name: ItemName, neededScore: number, options: ExplainOptions): Absence {
  const { environment, composed, nowMs, scoreOf, exclusionOf } = options;
  const { catalog } = environment;
  const itemIndex = catalog.indexOfId(name.itemId, name.itemType);
  if (itemIndex === undefined) return { ...say(name, 'unknown'), score: 0, neededScore };
  const scores = { score: scoreOf(itemIndex)?.score ?? 0, neededScore };
  const why = composed.facts!.whyNot(itemIndex);
  /** Reports an injected item as listed, regardless of its other properties. */
  if (why.outcome === 'listed') return { ...describe(name, why, options), ...scores };
  if (!catalog.isEnabled(itemIndex)) return { ...say(name, 'disabled'), ...scores };
  if (catalog.publishedAt(itemIndex) > nowMs) return { ...say(name, 'unpublished'), ...scores };
  if (catalog.expiresAt(itemIndex) <= nowMs) return { ...say(name, 'expired'), ...scores };
  const excluded = why.outcome === 'excluded' ? exclusionOf(itemIndex) : undefined;
  if (excluded) return { ...say(name, excluded), ...scores };
  return { ...describe(name, why, options), ...scores };
}

const sentences: Record<AbsenceReason, string> = {
  in_list: 'It is in the list.',
  unknown: 'The catalogue does not contain it.',
  disabled: 'It is disabled.',
  hidden: 'The configuration hides it.',
  unpublished: 'It is not published yet.',
  expired: 'It has expired.',
  not_offered: 'Its item type is no longer declared.',
  too_old: 'It is older than its type or the configuration allows.',
  consumed: 'The user has consumed it, or a history or the query_vector of the request names it.',
  disliked: 'The user disliked it, or another item of its group.',
  on_display: 'It is already on display.',
  tired: 'The user has seen it too often without a click.',
  in_other_list: 'Another list of the request contains it, or another item of its group.',
  in_group: 'Another item represents its group.',
  not_next: 'Another item of its group comes first for this user.',
  spent: 'It has had as many impressions today as its stock can serve.',
  rule: 'A rule excludes it.',
  outscored: 'Better items take all places.',
};

function say({ itemId }: ItemName, reason: AbsenceReason): Pick<Absence, 'itemId' | 'reason' | 'detail'> {
  return { itemId, reason, detail: sentences[reason] };
}

function describe(
  name: ItemName,
  why: WhyNot,
  { rules }: ExplainOptions,
): Omit<Absence, 'score' | 'neededScore'> {
  const { itemId } = name;
  switch (why.outcome) {
    case 'listed':
      return { itemId, reason: 'in_list', detail: `It has rank ${why.rank}.` };
    case 'not_servable':
      return say(name, 'not_offered');
    case 'excluded':
      return say(name, 'consumed');
    case 'must':
      return {
        itemId,
        reason: 'rule',
        constraintIndex: why.ruleIndex,
        detail:
          rules[why.ruleIndex].kind === 'apart'
            ? `It is never together with the list's items, by a rule on ${keyOf(rules[why.ruleIndex])}.`
            : `It does not satisfy the condition on ${keyOf(rules[why.ruleIndex])}.`,
      };
    case 'limit':
      if (why.ruleIndex >= rules.length) return say(name, 'in_group');
      return {
        itemId,
        reason: 'rule',
        constraintIndex: why.ruleIndex,
        detail: limitDetail(rules[why.ruleIndex] as Limiting, why.value),
      };
    case 'minimum':
      return {
        itemId,
        reason: 'rule',
        constraintIndex: why.ruleIndex,
        detail: `Its place goes to an item that the minimum on ${keyOf(rules[why.ruleIndex])} needs.`,
      };
    case 'outscored':
      return { itemId, reason: 'outscored', detail: outscoredDetail(why) };
    default:
      return {
        itemId,
        reason: 'outscored',
        detail: 'No model proposed it, and better items take all places.',
      };
  }
}

const keyOf = (rule: Rule): string => keysOf(rule).join(' and ');

type Limiting = Exclude<Rule, { kind: 'apart' }>;

function limitDetail(rule: Limiting, value: string | number | boolean | undefined): string {
  const which = value === undefined ? keyOf(rule) : `${keyOf(rule)} ${JSON.stringify(value)}`;
  return `Better items fill the ${rule.max} places that the rule on ${which} allows.`;
}

function outscoredDetail({ places, weightLacked }: Extract<WhyNot, { outcome: 'outscored' }>): string {
  const below = `It ranks ${places} ${places === 1 ? 'place' : 'places'} below the last item of the list`;
  return weightLacked > 0 ? `${below} and lacks ${weightLacked} of preference weight.` : `${below}.`;
}
