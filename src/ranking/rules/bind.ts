/**
 * Binds a query of a configuration to one request: variables and moments become values.
 *
 * Bound queries with the same key match the same items, on which match sets rely.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Matcher } from '../catalog/typed-columns.ts';
import { memoizeByObject } from '../runtime/cache.ts';
import type { BoundOperand, BoundTest } from './bound-test.ts';
import { isRelative, movesWithClock, parseMoment, resolveMoment } from './moments.ts';
import { createMatcher, isTextOperator } from './predicates.ts';
import type { ComparisonTest, Moment, Operand, Query, Scalar, Test, Variable } from './types.ts';

export type BoundQuery = {
  /** Identifies everything that the result depends on except the items. */
  key: string;
  /** Whether the matching items change every moment or by subject, so that a set is not worth keeping. */
  movesWithClock: boolean;
  /** Whether the query refers to the current time at all, for example to the current day. */
  dependsOnNow?: boolean;
  /** For a query that moves with the clock: one for this minute that matches at least as much. */
  outer?: BoundQuery;
  /** Compiles the query against the catalogue; the matcher is valid until the next write. */
  createMatcher(): Matcher;
};

type Binding =
  | { outcome: 'bound'; query: BoundQuery }
  /** A variable with `on_absent_drop` is absent, so the constraint or preference is ignored. */
  | { outcome: 'dropped' }
  /** A variable without default is absent. */
  | { outcome: 'missing'; variable: string };

/** Returns the value of a variable. A condition on an empty array matches no item. */
export type VariableLookup = (variable: Variable) => Scalar | readonly Scalar[] | undefined;

export type BindContext = { catalog: Catalog; variables: VariableLookup; nowMs: number };

/** The current time for lower and upper bounds, and facts about the bound moments. */
type Resolution = {
  earliestMs: number;
  latestMs: number;
  /** Whether a moment changes from one minute to the next. */
  moves: boolean;
  /** Whether a moment depends on the current time at all. */
  isRelative: boolean;
  /** Whether a moment is a date, which depends on the time zone. */
  isLocal: boolean;
  timeZone: string;
};

const resolutionAt = (timeZone: string, earliestMs: number, latestMs = earliestMs): Resolution => ({
  earliestMs,
  latestMs,
  moves: false,
  isRelative: false,
  isLocal: false,
  timeZone,
});

const minuteMs = 60_000;

function resolve(moment: Moment, bound: 'lower' | 'upper', resolution: Resolution): number {
  if (movesWithClock(moment)) resolution.moves = true;
  if (isRelative(moment)) resolution.isRelative = true;
  if ('date' in moment) resolution.isLocal = true;
  const nowMs = bound === 'lower' ? resolution.earliestMs : resolution.latestMs;
  return resolveMoment(moment, nowMs, resolution.timeZone);
}

/** Numbers compared with an instant are Unix seconds, as everywhere in the interface. */
function boundOperand(
  value: Scalar,
  operator: ComparisonTest['operator'],
  resolution: Resolution,
): BoundOperand {
  if (typeof value === 'number') return { value, instantMs: value * 1000 };
  const moment = typeof value === 'string' ? parseMoment(value) : undefined;
  if (!moment || isTextOperator(operator)) return { value };
  if (isRelative(moment) && operator === 'equals') return { value };
  return { value, instantMs: resolve(moment, operator.startsWith('gt') ? 'lower' : 'upper', resolution) };
}

function operandValues(operand: Operand, variables: VariableLookup): readonly Scalar[] {
  if ('value' in operand) return [operand.value];
  const given = variables(operand.variable) ?? operand.variable.default ?? [];
  return typeof given === 'object' ? given : [given];
}

function boundTest(
  test: Test,
  { variables }: Pick<BindContext, 'variables'>,
  resolution: Resolution,
): BoundTest {
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

/** Checks absent variables: dropping the query takes precedence over a missing value. */
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

/** The tests of a query with all operands as values. */
type BoundTests = { key: string; tests: BoundTest[] };

function bindTests(
  query: Query,
  context: Pick<BindContext, 'variables'>,
  resolution: Resolution,
): BoundTests {
  const tests = query.tests.map((test) => boundTest(test, context, resolution));
  return { key: JSON.stringify([query.key, tests]), tests };
}

function toBound(query: Query, { key, tests }: BoundTests, { catalog }: BindContext): BoundQuery {
  const create = () => createMatcher(catalog.column(query.key), tests);
  return { key, movesWithClock: false, createMatcher: create };
}

function boundQuery(query: Query, context: BindContext, resolution: Resolution): BoundQuery {
  const bound = toBound(query, bindTests(query, context, resolution), context);
  const movesWithClock = resolution.moves || excludesOwn(query);
  return { ...bound, movesWithClock, dependsOnNow: resolution.isRelative };
}

/** Whether most items match, except by the subject's history: a set for each subject costs too much. */
function excludesOwn({ tests }: Query): boolean {
  const isOwn = (operand: Operand) => 'variable' in operand && operand.variable.context === 'history';
  return tests.every((test) => 'negated' in test && test.negated && test.operands.some(isOwn));
}

/** The tests of a query that are the same in every request; computed once. */
const constantsOf = memoizeByObject((query: Query): BoundTests | undefined => {
  if (query.tests.some((test) => 'operands' in test && test.operands.some(isVariable))) return undefined;
  const resolution = resolutionAt('UTC', 0);
  const constants = bindTests(query, { variables: () => undefined }, resolution);
  return resolution.isRelative || resolution.isLocal ? undefined : constants;
});

const isVariable = (operand: Operand): boolean => 'variable' in operand;

/**
 * Moves bounds outwards to whole minutes, so that tests accept more; undefined with a negated test,
 * which would accept less.
 */
function outerQuery(query: Query, context: BindContext): BoundQuery | undefined {
  if (query.tests.some((test) => 'negated' in test && test.negated)) return undefined;
  const earliestMs = Math.floor(context.nowMs / minuteMs) * minuteMs;
  const outer = boundQuery(
    query,
    context,
    resolutionAt(context.catalog.timeZone, earliestMs, earliestMs + minuteMs),
  );
  return { ...outer, movesWithClock: false };
}

export function bindQuery(query: Query, context: BindContext): Binding {
  const constants = constantsOf(query);
  if (constants) return { outcome: 'bound', query: toBound(query, constants, context) };
  const absent = absence(query, context.variables);
  if (absent) return absent;
  const { nowMs, catalog } = context;
  const bound = boundQuery(query, context, resolutionAt(catalog.timeZone, nowMs));
  if (bound.movesWithClock) bound.outer = outerQuery(query, context);
  return { outcome: 'bound', query: bound };
}
