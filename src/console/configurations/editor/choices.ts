/** The operators of the grammar as a person chooses them, for each type of property. */

import type { Comparison, Operand, Test } from '../../grammar/document.ts';
import type { PropertyType } from '../../grammar/properties.ts';

export type Choice =
  | 'any'
  | 'none'
  | 'all'
  | 'contains'
  | 'starts_with'
  | 'gte'
  | 'lte'
  | 'gt'
  | 'lt'
  | 'range'
  | 'yes'
  | 'no'
  | 'within'
  | 'older'
  | 'dates';

export const choiceWords: Record<Choice, string> = {
  any: 'is any of',
  none: 'is none of',
  all: 'has all of',
  contains: 'contains',
  starts_with: 'starts with',
  gte: 'at least',
  lte: 'at most',
  gt: 'above',
  lt: 'below',
  range: 'from … to',
  yes: 'is yes',
  no: 'is no',
  within: 'in the last',
  older: 'longer ago than',
  dates: 'from … until',
};

const choicesOf: Record<PropertyType, Choice[]> = {
  string: ['any', 'none', 'contains', 'starts_with'],
  'string[]': ['any', 'none', 'all', 'contains', 'starts_with'],
  text: ['contains', 'starts_with', 'any', 'none'],
  number: ['gte', 'lte', 'gt', 'lt', 'range', 'any', 'none'],
  boolean: ['yes', 'no'],
  datetime: ['within', 'older', 'dates', 'gte', 'lte'],
};

export const choicesFor = (type: PropertyType): Choice[] => choicesOf[type];

const isYesNo = (operands: Operand[], value: boolean) =>
  operands.length === 1 && 'value' in operands[0] && operands[0].value === value;

export const relativePattern = /^now-(\d+)([mhdw])$/;

export function choiceOf(test: Test, type: PropertyType): Choice {
  if (test.kind === 'range') return 'range';
  if (test.kind === 'date_range') {
    if (test.min && !test.max && relativePattern.test(test.min)) return 'within';
    return test.max && !test.min && relativePattern.test(test.max) ? 'older' : 'dates';
  }
  const { operator, operands, isAll, isNegated } = test;
  if (operator !== 'equals') return operator;
  if (type === 'boolean' && isYesNo(operands, true)) return isNegated ? 'no' : 'yes';
  if (type === 'boolean' && isYesNo(operands, false)) return isNegated ? 'yes' : 'no';
  if (isNegated) return 'none';
  return isAll ? 'all' : 'any';
}

const compare = (
  operator: Comparison,
  operands: Operand[],
  rest: { isAll?: boolean; isNegated?: boolean } = {},
) => ({ kind: 'compare', operator, operands, isAll: false, isNegated: false, ...rest }) as const;

/** Another operator for a test; its values are kept where they still make sense. */
export function withChoice(choice: Choice, before?: Test): Test {
  const operands = before?.kind === 'compare' ? before.operands : [];
  switch (choice) {
    case 'any':
      return compare('equals', operands);
    case 'none':
      return compare('equals', operands, { isNegated: true });
    case 'all':
      return compare('equals', operands, { isAll: true });
    case 'yes':
      return compare('equals', [{ value: true }]);
    case 'no':
      return compare('equals', [{ value: false }]);
    case 'range':
      return { kind: 'range', min: 0, max: 100 };
    case 'within':
      return { kind: 'date_range', min: 'now-7d' };
    case 'older':
      return { kind: 'date_range', max: 'now-30d' };
    case 'dates':
      return { kind: 'date_range', min: new Date().toISOString().slice(0, 10) };
    default:
      return compare(choice, operands.slice(0, 1));
  }
}

/** What a new condition on a property begins with. */
export function firstTest(type: PropertyType): Test {
  return withChoice(choicesOf[type][0]);
}
