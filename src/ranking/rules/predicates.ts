/**
 * Compiles the tests of a bound query into a test on items.
 *
 * A test accepts or rejects a single value; an item matches when any of its values is accepted.
 * Types never mix: a number never equals a numeric string. An absent key has no value, so that
 * every positive test is false and every negated one true.
 */
import type { Column, Matcher, ValueTest } from '../catalog/typed-columns.ts';
import type { BoundComparison, BoundInterval, BoundOperand, BoundTest } from './bound-test.ts';
import { beginsWithAny, containsAny, type TextTest } from './text-search.ts';

/** Folds case by Unicode's default mapping, independent of language, in normal form C. */
const fold = (text: string): string => text.normalize().toLowerCase();

function foldedTexts(operands: BoundOperand[]): string[] {
  return operands.flatMap(({ value }) => (typeof value === 'string' ? [fold(value)] : []));
}

function textTest(operands: BoundOperand[], searchFor: (wanted: readonly string[]) => TextTest): ValueTest {
  const accepts = searchFor(foldedTexts(operands));
  return { text: (text) => accepts(fold(text)) };
}

/** Reduces operands to one limit per type: greater than any is greater than the least. */
function limitTest(operator: 'gt' | 'gte' | 'lt' | 'lte', operands: BoundOperand[]): ValueTest {
  const nearest = operator === 'gt' || operator === 'gte' ? Math.min : Math.max;
  const beyond = (limits: number[]): ((value: number) => boolean) | undefined => {
    if (limits.length === 0) return undefined;
    const limit = limits.reduce((one, other) => nearest(one, other));
    if (operator === 'gt') return (value) => value > limit;
    if (operator === 'gte') return (value) => value >= limit;
    return operator === 'lt' ? (value) => value < limit : (value) => value <= limit;
  };
  return {
    number: beyond(operands.flatMap(({ value }) => (typeof value === 'number' ? [value] : []))),
    instant: beyond(instantsOf(operands)),
  };
}

function instantsOf(operands: BoundOperand[]): number[] {
  return operands.flatMap(({ instantMs }) => (instantMs === undefined ? [] : [instantMs]));
}

function equalityTest(operands: BoundOperand[]): ValueTest {
  const instantsMs = new Set(instantsOf(operands));
  return {
    oneOf: operands.map(({ value }) => value),
    instant: instantsMs.size > 0 ? (instantMs) => instantsMs.has(instantMs) : undefined,
  };
}

/** Operators that compare texts. */
const textTests = { contains: containsAny, starts_with: beginsWithAny };

export function isTextOperator(operator: string): operator is keyof typeof textTests {
  return Object.hasOwn(textTests, operator);
}

function valueTest(operator: BoundComparison['operator'], operands: BoundOperand[]): ValueTest {
  if (operator === 'equals') return equalityTest(operands);
  if (isTextOperator(operator)) return textTest(operands, textTests[operator]);
  return limitTest(operator, operands);
}

/** A range of numbers is in Unix seconds where the values are instants. */
function intervalTest({ operator, min = -Infinity, max = Infinity }: BoundInterval): ValueTest {
  const inRange = (value: number): boolean => value >= min && value <= max;
  if (operator === 'date_range') return { instant: inRange };
  return { number: inRange, instant: (instantMs) => inRange(instantMs / 1000) };
}

function comparisonMatcher(column: Column, test: BoundComparison): Matcher {
  const groups = test.quantifier === 'any' ? [test.groups.flat()] : test.groups;
  const matchers = groups.map((operands) => column.matcher(valueTest(test.operator, operands)));
  const [only] = matchers;
  const positive =
    matchers.length === 1
      ? only
      : (itemIndex: number) => matchers.length > 0 && matchers.every((matches) => matches(itemIndex));
  return test.negated ? (itemIndex) => !positive(itemIndex) : positive;
}

function testMatcher(column: Column, test: BoundTest): Matcher {
  return 'groups' in test ? comparisonMatcher(column, test) : column.matcher(intervalTest(test));
}

/** Stands for a key that the catalogue does not know. */
const absentColumn: Column = { matcher: () => () => false, valuesAt: () => [], valueKeysAt: () => 0 };

/** Compiles all tests of a query on its column. */
export function createMatcher(column: Column | undefined, tests: readonly BoundTest[]): Matcher {
  const matchers = tests.map((test) => testMatcher(column ?? absentColumn, test));
  if (matchers.length === 1) return matchers[0];
  return (itemIndex) => matchers.every((matches) => matches(itemIndex));
}
