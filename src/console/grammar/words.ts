/** Rules and conditions as sentences. */

import { type Comparison, relativeMoment } from '../../formats/conditions.ts';
import { formatCounted } from '../kit/format.ts';
import { language } from '../texts/language.ts';
import { type Text, t } from '../texts/texts.ts';
import type { Condition, Operand, Preference, Rule, Test, Variable } from './document.ts';

/** Names of the grammar that are texts; those of a deployment stay as they are. */
const knownNames = (
  [
    ['item type', 'categories', 'tags', 'language', 'publication datetime', 'expiration datetime'],
    ['group id', 'title', 'description', 'item id', 'uri', 'freshness', 'maximum age hours', 'name'],
    ['half life hours', 'fatigue', 'maximum impressions', 'window hours', 'rotation', 'rate', 'rank'],
    ['period minutes', 'calibration', 'strength', 'stock budget', 'property', 'impressions per unit'],
    ['purpose', 'allow duplicates', 'environments', 'active from', 'active until', 'search', 'when'],
    ['queries', 'exact', 'contains', 'pattern', 'page types', 'languages', 'audience ids', 'pins'],
    ['hides', 'redirect', 'promoted content', 'priority', 'places'],
  ] satisfies Text[][]
).flat();

/** `publication_datetime` → `publication datetime`. */
export function keyWords(key: string): string {
  const words = key.replace(/^item_attributes\./, '').replaceAll('_', ' ');
  const known = knownNames.find((one) => one === words);
  return known ? t(known) : words;
}

/** Returns what an item has one of, such as `category`. */
function oneOf(key: string): string {
  if (key === 'categories') return t('category');
  return key === 'tags' ? t('tag') : keyWords(key);
}

const listFormat = (type: 'conjunction' | 'disjunction') => new Intl.ListFormat(language, { type });
const [all, any] = [listFormat('conjunction'), listFormat('disjunction')];
const relative = new Intl.RelativeTimeFormat(language);

/** Event types by what a visitor did, as rules name them. */
export const deeds = new Map<string, Text>([
  ['purchase', 'bought'],
  ['detail_pageview', 'viewed'],
  ['add_to_cart', 'added to the cart'],
  ['item_interaction', 'interacted with'],
]);

/** e.g. `a brand that the visitor viewed in the last 30 days`. */
function historyWords({ name, events = [], days, disliked }: Variable): string {
  const property = oneOf(name);
  const did = events.map((event) =>
    deeds.has(event) ? t(deeds.get(event)!) : t('met by {event}', { event: keyWords(event) }),
  );
  const what = disliked
    ? t('a {property} that the visitor dislikes', { property })
    : t('a {property} that the visitor {deeds}', { property, deeds: any.format(did) || t('met') });
  return days === undefined
    ? what
    : t('{what} in the last {span}', { what, span: formatCounted(days, 'day') });
}

function sourceWords({ context, ...variable }: Variable): string {
  if (context === 'history') return historyWords(variable);
  const property = keyWords(variable.name);
  return context === 'item'
    ? t('the page item’s {property}', { property })
    : t('the request’s {property}', { property });
}

function operandWords(operand: Operand): string {
  if ('value' in operand) return String(operand.value);
  const { default: fallback } = operand.variable;
  const source = sourceWords(operand.variable);
  return fallback === undefined
    ? source
    : t('{source} (default {fallback})', { source, fallback: String(fallback) });
}

export const timeUnits = { m: 'minute', h: 'hour', d: 'day', w: 'week' } as const;
type TimeUnit = keyof typeof timeUnits;

/** Count and unit of a relative moment; undefined for a fixed one. */
function spanOf(moment: string | undefined) {
  const [, count, unit] = relativeMoment.exec(moment ?? '') ?? [];
  if (!count) return undefined;
  const isDays = unit === 'h' && Number(count) % 24 === 0;
  return [Number(count) / (isDays ? 24 : 1), timeUnits[isDays ? 'd' : (unit as TimeUnit)]] as const;
}

function datesWords(dates: { min?: string; max?: string }): string {
  const [since, until] = [spanOf(dates.min), spanOf(dates.max)];
  if (since && !dates.max) return t('in the last {span}', { span: formatCounted(...since) });
  if (until && !dates.min) return t('more than {span} ago', { span: formatCounted(...until) });
  const min = since ? relative.format(-since[0], since[1]) : dates.min;
  const max = until ? relative.format(-until[0], until[1]) : dates.max;
  if (min && max) return t('from {min} until {max}', { min, max });
  if (min) return t('from {min}', { min });
  return max ? t('until {max}', { max }) : '';
}

/** Operators between a property and its values; equality has its own words. */
export const operatorWords: Record<Comparison, Text> = {
  contains: 'contains',
  starts_with: 'starts with',
  gt: 'above',
  gte: 'at least',
  lt: 'below',
  lte: 'at most',
};

function testWords(test: Test): string {
  if (test.kind === 'range') return t('from {min} to {max}', { min: test.min, max: test.max });
  if (test.kind === 'date_range') return datesWords(test);
  const { operator, operands, isAll, isNegated } = test;
  const values = (isAll ? all : any).format(operands.map(operandWords)) || '…';
  if (operator === 'equals')
    return isNegated ? t('is not {values}', { values }) : t('is {values}', { values });
  return `${t(operatorWords[operator])} ${values}`;
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
  if (flag !== undefined) return flag ? keyWords(key) : t('not {property}', { property: keyWords(key) });
  const isPublished = key === 'publication_datetime' && tests.every(({ kind }) => kind === 'date_range');
  return `${isPublished ? t('published') : keyWords(key)} ${all.format(tests.map(testWords)) || '…'}`;
}

export function limitWords(rule: Rule): string {
  if (rule.kind === 'apart') return t('Never together');
  const { max } = rule;
  const min = rule.kind === 'constraint' ? rule.min : undefined;
  if (min === undefined && max === undefined) return t('Must match');
  if (max === 0) return t('Exclude');
  if (min === undefined) return t('At most {max}', { max });
  return max === undefined ? t('At least {min}', { min }) : t('{min} to {max}', { min, max });
}

/** Subject of a rule, without its limit. */
export function subjectWords(rule: Rule): string {
  if (rule.kind === 'diversify') return t('per {property}', { property: oneOf(rule.key) });
  if (rule.kind === 'apart') return rule.conditions.map(conditionWords).join(' · ');
  return conditionWords(rule.condition);
}

export const ruleWords = (rule: Rule): string =>
  `${limitWords(rule)}${rule.kind === 'diversify' ? '' : ':'} ${subjectWords(rule)}`;

export const weightWords = (weight: number): string =>
  weight < 0 ? t('Bury {weight}', { weight: -weight }) : t('Boost +{weight}', { weight });

export const preferenceWords = ({ condition, weight }: Preference): string =>
  `${weightWords(weight)}: ${conditionWords(condition)}`;
