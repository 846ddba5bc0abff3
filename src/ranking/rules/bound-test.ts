/** The tests of a bound query, in which variables and moments are values. */

import type { ComparisonTest, Scalar } from './types.ts';

/** A value to compare with, also as an instant where it can be one. */
export type BoundOperand = { value: Scalar; instantMs?: number };

/** A comparison: `all` groups, or `any`, must contain a value that satisfies it. */
export type BoundComparison = {
  operator: ComparisonTest['operator'];
  groups: BoundOperand[][];
  quantifier: 'any' | 'all';
  negated: boolean;
};

/** An inclusive interval of numbers, or of instants in milliseconds; an absent end is open. */
export type BoundInterval = { operator: 'range' | 'date_range'; min?: number; max?: number };

export type BoundTest = BoundComparison | BoundInterval;
