/** An explanation as text: lines for each item, rule and absence. Rules count from 0, as in pointers. */

import type {
  AbsenceExplanation,
  HistoryVariable,
  ItemExplanation,
  ListExplanation,
  ListOutcome,
  RuleExplanation,
  UnmetMinimum,
} from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';

/** @param titles Titles of the items, in their order. */
export function describeExplanation(
  { items, rules, whyNot, scoredCount, weighedCount, gapBound, historyVariables }: ListExplanation,
  { configurationVersion, unmetMinimums }: ListOutcome,
  titles: readonly (string | undefined)[],
): string {
  const gap =
    gapBound === 0 ? 'no better list exists' : `within ${(gapBound * 100).toFixed(2)} % of the best`;
  return [
    `Version ${configurationVersion}: ${scoredCount} candidates scored, ${weighedCount} weighed; ${gap}.`,
    ...(items.length > 0 ? items.map((item, i) => describeItem(item, titles[i])) : ['    no items']),
    ...(rules.length > 0 ? ['', 'Rules:', ...rules.map(describeRule)] : []),
    ...unmetMinimums.map(describeUnmet),
    ...(historyVariables.length > 0 ? ['', 'History:', ...historyVariables.map(describeVariable)] : []),
    ...(whyNot.length > 0 ? ['', 'Why not:', ...whyNot.map(describeAbsence)] : []),
  ].join('\n');
}

function describeItem(item: ItemExplanation, title: string | undefined): string {
  const { rank, itemId, source, constraintIndexes, preferences, score, parts, propensity } = item;
  const facts = [
    source === 'models' ? `score ${score.toPrecision(3)}` : source,
    constraintIndexes.length > 0 && `rules ${constraintIndexes.join(', ')}`,
    ...preferences.map(({ preferenceIndex, weight }) => `preference ${preferenceIndex} (weight ${weight})`),
    propensity !== undefined && `explored with probability ${propensity.toPrecision(3)}`,
  ];
  const because = parts.map(({ model, score: part, reasonItemIds }) => {
    const reasons = reasonItemIds.length > 0 ? `, because of ${reasonItemIds.join(', ')}` : '';
    return `          ${barOf(part / score)}${model} ${part.toPrecision(3)}${reasons}`;
  });
  const heading = [`${String(rank).padStart(4)}.`, itemId, title].filter((part) => part).join('  ');
  return [heading, `      ${facts.filter((part) => part).join('; ')}`, ...because].join('\n');
}

const barWidth = 10;

/** Returns a chart of a share of the score; empty for parts that are none, such as negative ones. */
function barOf(share: number): string {
  const length = Math.round(share * barWidth);
  return length >= 0 && length <= barWidth ? `${'█'.repeat(length).padEnd(barWidth, '░')} ` : '';
}

function describeRule(rule: RuleExplanation): string {
  const { constraintIndex, matchedCount, usedCount, cutCount, dropped } = rule;
  if (dropped) return `${String(constraintIndex).padStart(4)}  ignored: its variable is absent`;
  return `${String(constraintIndex).padStart(4)}  ${matchedCount} matched, ${usedCount} used, ${cutCount} cut`;
}

function describeVariable({ name, events, days, values }: HistoryVariable): string {
  const what = [name, events.length > 0 && `(${events.join(', ')})`, days && `of ${days} days`];
  return `    ${what.filter(Boolean).join(' ')}: ${values.join(', ') || 'none'}`;
}

const unmetReasons: Record<string, string> = {
  too_few_in_catalogue: 'the catalogue has no more',
  excluded_for_user: 'the others are excluded for this user',
  in_conflict: 'in conflict with rule',
  list_too_short: 'the list is too short for it',
};

function describeUnmet(unmet: UnmetMinimum): string {
  const { constraintIndex, wantedCount, foundCount, reason, conflictingIndex } = unmet;
  const why = [unmetReasons[reason] ?? reason, conflictingIndex]
    .filter((part) => part !== undefined)
    .join(' ');
  return `${String(constraintIndex).padStart(4)}  wants ${wantedCount} and found ${foundCount}: ${why}`;
}

function describeAbsence(absence: AbsenceExplanation): string {
  const { itemId, reason, detail, constraintIndex, score, neededScore } = absence;
  const rule = constraintIndex === undefined ? '' : ` (rule ${constraintIndex})`;
  const scores =
    reason === 'outscored'
      ? ` Its score is ${score.toPrecision(3)}; ${neededScore.toPrecision(3)} was needed.`
      : '';
  return `    ${itemId}: ${detail}${rule}${scores}`;
}
