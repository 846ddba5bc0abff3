/** A test of one request: its variables and moments are values. */

import type { ComparisonTest, Scalar } from './types.ts';

/** A value to compare with; as an instant too where it can be one. */
export type BoundOperand = { value: Scalar; instantMs?: number };

/** A comparison whose operands are values: `all` groups (or any) need a value that satisfies it. */
export type BoundComparison = {
  operator: ComparisonTest['operator'];
  groups: BoundOperand[][];
  quantifier: 'any' | 'all';
  negated: boolean;
};

/** Inclusive; numbers, or instants in milliseconds. An absent end is open. */
export type BoundInterval = { operator: 'range' | 'date_range'; min?: number; max?: number };

export type BoundTest = BoundComparison | BoundInterval;
