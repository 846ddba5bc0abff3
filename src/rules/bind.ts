/**
 * From a query of a configuration to the query of one request: variables and moments become values.
 *
 * Two requests whose bound queries have the same key ask the same of every item; match sets rely on it.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Matcher } from '../catalog/columns.ts';
import { movesWithClock, parseMoment, resolveMoment } from './moments.ts';
import { createMatcher } from './predicates.ts';
import type { ComparisonTest, Moment, Operand, Query, Scalar, Test, Variable } from './types.ts';

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

export type BoundQuery = {
  /** Says everything the answer depends on but the items. */
  key: string;
  /** The same condition gives other items a moment later: not worth keeping. */
  movesWithClock: boolean;
  /** Compiled against the catalogue as it is now; good until its next write. */
  createMatcher(): Matcher;
};

export type Binding =
  | { outcome: 'bound'; query: BoundQuery }
  /** A variable with on_absent_drop is absent: the constraint or preference is ignored. */
  | { outcome: 'dropped' }
  /** A variable without default is absent. */
  | { outcome: 'missing'; variable: string };

/** An empty array is a present variable without values: a condition on it matches nothing. */
export type VariableLookup = (variable: Variable) => Scalar | readonly Scalar[] | undefined;

export type BindContext = { catalog: Catalog; variables: VariableLookup; nowMs: number };

type Resolution = { nowMs: number; moves: boolean };

/** A number compared with an instant is Unix seconds, as everywhere in the interface. */
function boundOperand(
  value: Scalar,
  operator: ComparisonTest['operator'],
  resolution: Resolution,
): BoundOperand {
  if (typeof value === 'number') return { value, instantMs: value * 1000 };
  const moment = typeof value === 'string' ? parseMoment(value) : undefined;
  if (!moment || operator === 'contains' || operator === 'starts_with') return { value };
  if (!('at' in moment) && operator === 'equals') return { value };
  return { value, instantMs: resolve(moment, resolution) };
}

function resolve(moment: Moment, resolution: Resolution): number {
  if (movesWithClock(moment)) resolution.moves = true;
  return resolveMoment(moment, resolution.nowMs);
}

function operandValues(operand: Operand, variables: VariableLookup): readonly Scalar[] {
  if ('value' in operand) return [operand.value];
  const given = variables(operand.variable) ?? operand.variable.default ?? [];
  return typeof given === 'object' ? given : [given];
}

function boundTest(test: Test, { variables }: BindContext, resolution: Resolution): BoundTest {
  if (test.operator === 'range') return test;
  if (test.operator === 'date_range') {
    const { min, max } = test;
    return {
      operator: 'date_range',
      min: min && resolve(min, resolution),
      max: max && resolve(max, resolution),
    };
  }
  const { operator, quantifier, negated, operands } = test;
  const groups = operands.map((operand) =>
    operandValues(operand, variables).map((value) => boundOperand(value, operator, resolution)),
  );
  return { operator, groups, quantifier, negated };
}

/** What absent variables mean for the query: dropping it goes before missing a value. */
function absence(query: Query, variables: VariableLookup): Binding | undefined {
  let missing: Binding | undefined;
  for (const test of query.tests) {
    for (const operand of 'operands' in test ? test.operands : []) {
      if (!('variable' in operand) || variables(operand.variable) !== undefined) continue;
      if (operand.variable.onAbsentDrop) return { outcome: 'dropped' };
      if (operand.variable.default === undefined)
        missing ??= { outcome: 'missing', variable: operand.variable.name };
    }
  }
  return missing;
}

export function bindQuery(query: Query, context: BindContext): Binding {
  const absent = absence(query, context.variables);
  if (absent) return absent;
  const resolution: Resolution = { nowMs: context.nowMs, moves: false };
  const tests = query.tests.map((test) => boundTest(test, context, resolution));
  return {
    outcome: 'bound',
    query: {
      key: JSON.stringify([query.key, tests]),
      movesWithClock: resolution.moves,
      createMatcher: () => createMatcher(context.catalog.column(query.key), tests),
    },
  };
}
