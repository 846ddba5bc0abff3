/** Rules in words, for those who do not read JSON. */

import type { Comparison, Condition, Operand, Preference, Rule, Test } from './document.ts';

/** `publication_datetime` → `publication datetime`. */
export const keyWords = (key: string): string => key.replace(/^item_attributes\./, '').replaceAll('_', ' ');

const verbs: Record<Comparison, string> = {
  equals: 'is',
  contains: 'contains',
  starts_with: 'starts with',
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
};

function operandWords(operand: Operand): string {
  if ('value' in operand) return String(operand.value);
  const { name, context, default: standIn } = operand.variable;
  const place = context === 'item' ? `the page’s ${keyWords(name)}` : `the request’s ${keyWords(name)}`;
  return standIn === undefined ? place : `${place} (else ${standIn})`;
}

const momentWords = (moment: string): string => {
  const [, count, unit] = /^now-(\d+)([mhdw])$/.exec(moment) ?? [];
  if (!count) return moment;
  const units = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' }[unit];
  const days = Number(count) / 24;
  return unit === 'h' && Number.isInteger(days) ? `${days} days ago` : `${count} ${units} ago`;
};

function testWords(test: Test): string {
  if (test.kind === 'range') return `from ${test.min} to ${test.max}`;
  if (test.kind === 'date_range') {
    const since = test.min && `since ${momentWords(test.min)}`;
    const until = test.max && `until ${momentWords(test.max)}`;
    return [since, until].filter(Boolean).join(' ');
  }
  const { operator, operands, isAll, isNegated } = test;
  const values = operands.map(operandWords).join(isAll ? ' and ' : ' or ');
  return `${verbs[operator]}${isNegated ? ' not' : ''} ${values || '…'}`;
}

export function conditionWords({ key, tests }: Condition): string {
  if (!key) return 'a property that is not chosen yet';
  return `${keyWords(key)} ${tests.map(testWords).join(' and ') || '…'}`;
}

export function limitWords(rule: Rule): string {
  if (rule.kind === 'diversify') return rule.max === 1 ? 'All different' : `At most ${rule.max} of the same`;
  const { min, max } = rule;
  if (min === undefined && max === undefined) return 'Only';
  if (max === 0) return 'None';
  if (min === undefined) return `At most ${max}`;
  return max === undefined ? `At least ${min}` : `${min} to ${max}`;
}

export function ruleWords(rule: Rule): string {
  const about = rule.kind === 'diversify' ? keyWords(rule.key) : conditionWords(rule.condition);
  return rule.kind === 'diversify' ? `${limitWords(rule)} ${about}` : `${limitWords(rule)}: ${about}`;
}

export function preferenceWords({ condition, weight }: Preference): string {
  return `${weight < 0 ? 'Rather not' : 'Prefer'}: ${conditionWords(condition)}`;
}
