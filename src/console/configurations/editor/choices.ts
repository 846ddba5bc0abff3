/** Operators of the grammar as the form offers them, by type of property. */

import { type Comparison, relativeMoment } from '../../../formats/conditions.ts';
import type { Operand, Operator, Test } from '../../grammar/document.ts';
import type { PropertyType } from '../../grammar/properties.ts';
import { operatorWords } from '../../grammar/words.ts';
import type { Text } from '../../texts/texts.ts';

export type Choice =
  | Comparison
  | 'any'
  | 'none'
  | 'all'
  | 'range'
  | 'yes'
  | 'no'
  | 'within'
  | 'older'
  | 'dates';

export const choiceLabels: Record<Choice, Text> = {
  ...operatorWords,
  any: 'is any of',
  none: 'is none of',
  all: 'has all of',
  range: 'from … to',
  yes: 'is yes',
  no: 'is no',
  within: 'in the last',
  older: 'more than … ago',
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

export function choiceOf(test: Test, type: PropertyType): Choice {
  if (test.kind === 'range') return 'range';
  if (test.kind === 'date_range') {
    const { min, max } = test;
    if (min && !max && relativeMoment.test(min)) return 'within';
    return max && !min && relativeMoment.test(max) ? 'older' : 'dates';
  }
  const { operator, operands, isAll, isNegated } = test;
  if (operator !== 'equals') return operator;
  const [operand, ...others] = operands;
  if (
    type === 'boolean' &&
    others.length === 0 &&
    operand &&
    'value' in operand &&
    typeof operand.value === 'boolean'
  )
    return operand.value === isNegated ? 'no' : 'yes';
  if (isNegated) return 'none';
  return isAll ? 'all' : 'any';
}

type Joining = { isAll?: boolean; isNegated?: boolean };

const compare = (operator: Operator, operands: Operand[], joining: Joining = {}): Test => ({
  kind: 'compare',
  operator,
  operands,
  isAll: false,
  isNegated: false,
  ...joining,
});

/** Creates a test with another operator; keeps the values that still apply. */
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
    case 'no':
      return compare('equals', [{ value: choice === 'yes' }]);
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

/** First test of a new condition. */
export const firstTest = (type: PropertyType): Test => withChoice(choicesOf[type][0]);
