/** Rules and conditions as sentences. */

import { comparisons, relativeMoment } from '../../formats/conditions.ts';
import { t } from '../kit/texts.ts';
import type { Condition, Operand, Preference, Rule, Test, Variable } from './document.ts';

/** `publication_datetime` → `publication datetime`. */
export const keyWords = (key: string): string => key.replace(/^item_attributes\./, '').replaceAll('_', ' ');

const singulars: Record<string, string> = { categories: 'category', tags: 'tag' };

/** Event types by what a visitor did, as rules name them. */
export const deeds: Record<string, string> = {
  purchase: 'bought',
  detail_pageview: 'viewed',
  add_to_cart: t('added to the cart'),
  item_interaction: t('interacted with'),
};

/** e.g. `a brand that the visitor viewed in the last 30 days`. */
function historyWords({ name, events = [], days, disliked }: Variable): string {
  const did = events
    .map((event) => deeds[event] ?? t('met by {keyWords}', { keyWords: keyWords(event) }))
    .join(' or ');
  const within =
    days === undefined ? '' : t(' in the last {spanWords}', { spanWords: spanWords(`now-${days}d`) });
  return t('a {value} that the visitor {value2}{within}', {
    value: singulars[name] ?? keyWords(name),
    value2: disliked ? 'dislikes' : did || 'met',
    within,
  });
}

function sourceWords(variable: Variable): string {
  if (variable.context === 'history') return historyWords(variable);
  return `the ${variable.context === 'item' ? t('page item') : 'request'}’s ${keyWords(variable.name)}`;
}

function operandWords(operand: Operand): string {
  if ('value' in operand) return String(operand.value);
  const { default: fallback } = operand.variable;
  const source = sourceWords(operand.variable);
  return fallback === undefined ? source : `${source} (default ${fallback})`;
}

const unitNames: Record<string, string> = { m: 'minute', h: 'hour', d: 'day', w: 'week' };

/** e.g. `7 days`; undefined for a fixed moment. */
function spanWords(moment: string | undefined): string | undefined {
  const [, count, unit] = relativeMoment.exec(moment ?? '') ?? [];
  if (!count) return undefined;
  const isDays = unit === 'h' && Number(count) % 24 === 0;
  const number = isDays ? Number(count) / 24 : Number(count);
  return `${number} ${unitNames[isDays ? 'd' : unit]}${number === 1 ? '' : 's'}`;
}

function datesWords({ min, max }: { min?: string; max?: string }): string {
  const [since, until] = [spanWords(min), spanWords(max)];
  if (since && !max) return t('in the last {since}', { since });
  if (until && !min) return t('more than {until} ago', { until });
  const from = min && `from ${since ? `${since} ago` : min}`;
  return [from, max && `until ${until ? `${until} ago` : max}`].filter(Boolean).join(' ');
}

function testWords(test: Test): string {
  if (test.kind === 'range') return `from ${test.min} to ${test.max}`;
  if (test.kind === 'date_range') return datesWords(test);
  const { operator, operands, isAll, isNegated } = test;
  const values = operands.map(operandWords).join(isAll ? ' and ' : ' or ');
  const verb = comparisons.find(({ name }) => name === operator)?.label ?? 'is';
  return `${verb}${isNegated ? ' not' : ''} ${values || '…'}`;
}

/** Value of a lone yes-or-no test; undefined for others. */
function flagOf([test, ...others]: readonly Test[]): boolean | undefined {
  if (others.length > 0 || test?.kind !== 'compare' || test.operator !== 'equals') return undefined;
  const [operand, ...more] = test.operands;
  if (more.length > 0 || !operand || !('value' in operand) || typeof operand.value !== 'boolean')
    return undefined;
  return operand.value !== test.isNegated;
}

export function conditionWords({ key, tests }: Condition): string {
  if (!key) return t('No property chosen');
  const flag = flagOf(tests);
  if (flag !== undefined) return `${flag ? '' : 'not '}${keyWords(key)}`;
  const isPublished = key === 'publication_datetime' && tests.every(({ kind }) => kind === 'date_range');
  return `${isPublished ? 'published' : keyWords(key)} ${tests.map(testWords).join(' and ') || '…'}`;
}

export function limitWords(rule: Rule): string {
  if (rule.kind === 'apart') return t('Never together');
  const { max } = rule;
  const min = rule.kind === 'constraint' ? rule.min : undefined;
  if (min === undefined && max === undefined) return t('Must match');
  if (max === 0) return t('Exclude');
  if (min === undefined) return t('At most {max}', { max });
  return max === undefined ? t('At least {min}', { min }) : `${min} to ${max}`;
}

/** Subject of a rule, without its limit. */
export function subjectWords(rule: Rule): string {
  if (rule.kind === 'diversify') return `per ${singulars[rule.key] ?? keyWords(rule.key)}`;
  if (rule.kind === 'apart') return rule.conditions.map(conditionWords).join(' · ');
  return conditionWords(rule.condition);
}

export const ruleWords = (rule: Rule): string =>
  `${limitWords(rule)}${rule.kind === 'diversify' ? '' : ':'} ${subjectWords(rule)}`;

export const weightWords = (weight: number): string =>
  weight < 0 ? t('Bury {value}', { value: -weight }) : t('Boost +{weight}', { weight });

export const preferenceWords = ({ condition, weight }: Preference): string =>
  `${weightWords(weight)}: ${conditionWords(condition)}`;
