/**
 * From a query of a configuration to the query of one request: variables and moments become values.
 *
 * Two requests whose bound queries have the same key ask the same of every item; match sets rely on it.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Matcher } from '../catalog/typed-columns.ts';
import type { BoundOperand, BoundTest } from './bound-test.ts';
import { movesWithClock, parseMoment, resolveMoment } from './moments.ts';
import { createMatcher } from './predicates.ts';
import type { ComparisonTest, Moment, Operand, Query, Scalar, Test, Variable } from './types.ts';

export type BoundQuery = {
  /** Says everything the answer depends on but the items. */
  key: string;
  /** The same condition gives other items a moment later: not worth keeping. */
  movesWithClock: boolean;
  /** Set when it speaks of now at all: an hour or a day later it may be another one. */
  dependsOnNow?: boolean;
  /** For a condition that moves with the clock: one that holds for this whole minute and matches at least as much. */
  outer?: BoundQuery;
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

/**
 * How moments become instants. `earliestMs` is the now of lower bounds and `latestMs` that of upper ones: the same, but for an
 * outer query.
 */
type Resolution = {
  earliestMs: number;
  latestMs: number;
  /** Set when a moment differs from one minute to the next. */
  moves: boolean;
  /** Set when a moment depends on now at all. */
  isRelative: boolean;
};

const resolutionAt = (earliestMs: number, latestMs = earliestMs): Resolution => ({
  earliestMs,
  latestMs,
  moves: false,
  isRelative: false,
});

const minuteMs = 60_000;

function resolve(moment: Moment, bound: 'lower' | 'upper', resolution: Resolution): number {
  if (movesWithClock(moment)) resolution.moves = true;
  if (!('at' in moment)) resolution.isRelative = true;
  return resolveMoment(moment, bound === 'lower' ? resolution.earliestMs : resolution.latestMs);
}

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
  return { value, instantMs: resolve(moment, operator.startsWith('gt') ? 'lower' : 'upper', resolution) };
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
      min: min && resolve(min, 'lower', resolution),
      max: max && resolve(max, 'upper', resolution),
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

/** A query whose operands are values. */
type Valued = { key: string; tests: BoundTest[] };

function valued(query: Query, context: BindContext, resolution: Resolution): Valued {
  const tests = query.tests.map((test) => boundTest(test, context, resolution));
  return { key: JSON.stringify([query.key, tests]), tests };
}

function toBound(query: Query, { key, tests }: Valued, { catalog }: BindContext): BoundQuery {
  const create = () => createMatcher(catalog.column(query.key), tests);
  return { key, movesWithClock: false, createMatcher: create };
}

function boundQuery(query: Query, context: BindContext, resolution: Resolution): BoundQuery {
  const bound = toBound(query, valued(query, context, resolution), context);
  return { ...bound, movesWithClock: resolution.moves, dependsOnNow: resolution.isRelative };
}

/** Queries without variables and relative moments are the same in every request, so their values are found once. */
const constants = new WeakMap<Query, Valued>();

function constantOf(query: Query, context: BindContext): Valued | undefined {
  const known = constants.get(query);
  if (known || query.tests.some((test) => 'operands' in test && test.operands.some(isVariable))) return known;
  const resolution = resolutionAt(context.nowMs);
  const constant = valued(query, context, resolution);
  if (resolution.isRelative) return undefined;
  constants.set(query, constant);
  return constant;
}

const isVariable = (operand: Operand): boolean => 'variable' in operand;

/** Bounds are moved outwards to whole minutes, which widens what tests accept, but narrows it where one is negated. */
function outerQuery(query: Query, context: BindContext): BoundQuery | undefined {
  if (query.tests.some((test) => 'negated' in test && test.negated)) return undefined;
  const earliestMs = Math.floor(context.nowMs / minuteMs) * minuteMs;
  const outer = boundQuery(query, context, resolutionAt(earliestMs, earliestMs + minuteMs));
  return { ...outer, movesWithClock: false };
}

export function bindQuery(query: Query, context: BindContext): Binding {
  const constant = constantOf(query, context);
  if (constant) return { outcome: 'bound', query: toBound(query, constant, context) };
  const absent = absence(query, context.variables);
  if (absent) return absent;
  const { nowMs } = context;
  const bound = boundQuery(query, context, resolutionAt(nowMs));
  if (bound.movesWithClock) bound.outer = outerQuery(query, context);
  return { outcome: 'bound', query: bound };
}
