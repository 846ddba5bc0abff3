/** An explanation as text: a block per item, a line per rule, a sentence per absence. Rules count from 0, as in pointers. */

import type {
  AbsenceExplanation,
  ItemExplanation,
  ListExplanation,
  ListOutcome,
  RuleExplanation,
  UnmetMinimum,
} from '../../../gen/grpc/personalisation/v1/recommendation_service.ts';

/** @param titles By place in the list. */
export function describeExplanation(
  { items, rules, why_not, scored_count, weighed_count, gap_bound }: ListExplanation,
  { configuration_version, unmet_minimums }: ListOutcome,
  titles: readonly (string | undefined)[],
): string {
  const gap =
    gap_bound === 0 ? 'no better list exists' : `within ${(gap_bound * 100).toFixed(2)} % of the best`;
  return [
    `Version ${configuration_version}: ${scored_count} candidates scored, ${weighed_count} weighed; ${gap}.`,
    ...(items.length > 0 ? items.map((item, i) => describeItem(item, titles[i])) : ['    no items']),
    ...(rules.length > 0 ? ['', 'Rules:', ...rules.map(describeRule)] : []),
    ...unmet_minimums.map(describeUnmet),
    ...(why_not.length > 0 ? ['', 'Why not:', ...why_not.map(describeAbsence)] : []),
  ].join('\n');
}

function describeItem(item: ItemExplanation, title: string | undefined): string {
  const { rank, item_id, source, constraint_indexes, preferences, score, parts } = item;
  const facts = [
    source === 'models' ? `score ${score.toPrecision(3)}` : source,
    constraint_indexes.length > 0 && `rules ${constraint_indexes.join(', ')}`,
    ...preferences.map(({ preference_index, weight }) => `preference ${preference_index} (weight ${weight})`),
  ];
  const because = parts.map(({ model, score: part, reason_item_ids }) => {
    const reasons = reason_item_ids.length > 0 ? `, because of ${reason_item_ids.join(', ')}` : '';
    return `          ${model} ${part.toPrecision(3)}${reasons}`;
  });
  const heading = [`${String(rank).padStart(4)}.`, item_id, title].filter((part) => part).join('  ');
  return [heading, `      ${facts.filter((part) => part).join('; ')}`, ...because].join('\n');
}

function describeRule(rule: RuleExplanation): string {
  const { constraint_index, matched_count, used_count, cut_count, dropped } = rule;
  if (dropped) return `${String(constraint_index).padStart(4)}  ignored: its variable is absent`;
  return `${String(constraint_index).padStart(4)}  ${matched_count} matched, ${used_count} used, ${cut_count} cut`;
}

const unmetReasons: Record<string, string> = {
  too_few_in_catalogue: 'the catalogue has no more',
  excluded_for_user: 'the others are excluded for this user',
  in_conflict: 'in conflict with rule',
  list_too_short: 'the list is too short for it',
};

function describeUnmet(unmet: UnmetMinimum): string {
  const { constraint_index, wanted_count, found_count, reason, conflicting_index } = unmet;
  const why = [unmetReasons[reason] ?? reason, conflicting_index]
    .filter((part) => part !== undefined)
    .join(' ');
  return `${String(constraint_index).padStart(4)}  wants ${wanted_count} and found ${found_count}: ${why}`;
}

function describeAbsence({
  item_id,
  reason,
  detail,
  constraint_index,
  score,
  needed_score,
}: AbsenceExplanation): string {
  const rule = constraint_index === undefined ? '' : ` (rule ${constraint_index})`;
  const scores =
    reason === 'outscored'
      ? ` Its score is ${score.toPrecision(3)}; ${needed_score.toPrecision(3)} was needed.`
      : '';
  return `    ${item_id}: ${detail}${rule}${scores}`;
}
