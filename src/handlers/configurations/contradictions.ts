/**
 * Finds rules that cannot hold together with any catalogue.
 *
 * Compares conditions on the same single-valued key by the values or the interval that they accept.
 * Undecidable cases (variables, several values, relative dates) count as compatible.
 */

import type { ConstraintRule, DiversifyRule, Query, Rule, Scalar, Test } from '../../ranking/rules/types.ts';

export type Contradiction = {
  ruleIndex: number;
  otherIndex: number;
  /** Whether no item can be in any list: an error instead of a warning. */
  isFatal: boolean;
  detail: string;
};

export type ContradictionOptions = {
  rules: readonly Rule[];
  /** Whether an item has at most one value of the key, in every environment. */
  isSingle(key: string): boolean;
};

/** Conditions with more values count as compatible, which keeps checks below a second. */
const mostCompared = 200;

export function findContradictions({ rules, isSingle }: ContradictionOptions): Contradiction[] {
  const facts = rules.map((rule) => describe(rule, isSingle));
  return facts.flatMap((fact, ruleIndex): Contradiction[] => {
    for (const [otherIndex, other] of facts.entries()) {
      const detail =
        ruleIndex === otherIndex ? undefined : contradiction(fact, other, ruleIndex < otherIndex);
      if (detail === undefined) continue;
      const isFatal = fact.isMust && other.isMust;
      return [{ ruleIndex, otherIndex, isFatal, detail: `${detail} (rule ${otherIndex}).` }];
    }
    return [];
  });
}

type Fact = {
  rule: Rule;
  /** Absent for rules of diversity and groups. */
  query?: Query;
  isMust: boolean;
  isSingle: boolean;
  passing: Passing;
  /** Equal for rules with the same condition. */
  text: string;
};

function describe(rule: Rule, isSingle: (key: string) => boolean): Fact {
  if (rule.kind === 'diversify') {
    return { rule, isMust: false, isSingle: isSingle(rule.key), passing: unlimited, text: '' };
  }
  if (rule.kind === 'apart') return { rule, isMust: false, isSingle: false, passing: unlimited, text: '' };
  const { query, min, max } = rule;
  return {
    rule,
    query,
    isMust: min === undefined && max === undefined,
    isSingle: isSingle(query.key),
    passing: mayBeDropped(query) ? unlimited : passingOf(query),
    text: JSON.stringify(query),
  };
}

function mayBeDropped({ tests }: Query): boolean {
  return tests.some(
    (test) =>
      'operands' in test &&
      test.operands.some((operand) => 'variable' in operand && operand.variable.onAbsentDrop),
  );
}

function contradiction(fact: Fact, other: Fact, isFirst: boolean): string | undefined {
  const { rule } = fact;
  if (rule.kind !== 'constraint' || other.rule.kind === 'apart') return undefined;
  if (other.rule.kind === 'diversify') return aboveDiversity(rule, fact, other.rule);
  if (other.isMust && (fact.isMust ? isFirst : rule.min) && exclude(fact, other)) {
    return fact.isMust
      ? 'No item can satisfy both this and another condition'
      : 'Its items are excluded by a condition that every item must satisfy';
  }
  if (rule.min && other.rule.max !== undefined && rule.min > other.rule.max && fact.text === other.text) {
    return 'Its minimum is above the maximum of the same condition';
  }
  return undefined;
}

/** Returns whether no value of their common key satisfies both. */
function exclude({ query, isSingle, passing }: Fact, other: Fact): boolean {
  return (
    isSingle && query !== undefined && query.key === other.query?.key && areDisjoint(passing, other.passing)
  );
}

/** Compares a minimum with the number of values times the diversity limit. */
function aboveDiversity(
  { query, min = 0 }: ConstraintRule,
  { isSingle, passing }: Fact,
  { key, max }: DiversifyRule,
): string | undefined {
  if (query.key !== key || !isSingle || passing.values === undefined) return undefined;
  const most = passing.values.size * max;
  return min > most
    ? `Its minimum of ${min} exceeds the ${most} items that a diversity limit allows`
    : undefined;
}

/** Values and interval that a condition accepts. */
type Passing = { values?: ReadonlySet<Scalar>; min: number; max: number };

const unlimited: Passing = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

function areDisjoint(a: Passing, b: Passing): boolean {
  if (Math.max(a.min, b.min) > Math.min(a.max, b.max)) return true;
  if (a.values && b.values) return ![...a.values].some((value) => b.values!.has(value));
  return outside(a.values, b) || outside(b.values, a);
}

function outside(values: ReadonlySet<Scalar> | undefined, { min, max }: Passing): boolean {
  if (values === undefined || (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY))
    return false;
  return [...values].every((value) => typeof value === 'number' && (value < min || value > max));
}

function passingOf({ key, tests }: Query): Passing {
  const result: Passing = { ...unlimited };
  for (const test of tests) {
    const values = equalValues(test, key);
    if (values)
      result.values = result.values
        ? new Set([...result.values].filter((value) => values.has(value)))
        : values;
    const [min, max] = bounds(test);
    result.min = Math.max(result.min, min);
    result.max = Math.min(result.max, max);
  }
  return result;
}

/** Returns the values that an equality accepts; undefined for category paths. */
function equalValues(test: Test, key: string): Set<Scalar> | undefined {
  if (test.operator !== 'equals' || test.negated || key === 'categories') return undefined;
  const values = test.operands.flatMap((operand) => ('value' in operand ? [operand.value] : []));
  if (values.length < test.operands.length) return undefined;
  const isComparable = values.length <= mostCompared && (test.quantifier === 'any' || values.length === 1);
  return isComparable ? new Set(values) : undefined;
}

const everything: [number, number] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

function bounds(test: Test): [min: number, max: number] {
  if (test.operator === 'range') return [test.min, test.max];
  if (!('operands' in test) || test.operands.length !== 1 || test.negated) return everything;
  const [operand] = test.operands;
  if (!('value' in operand) || typeof operand.value !== 'number') return everything;
  if (test.operator === 'gt' || test.operator === 'gte') return [operand.value, Number.POSITIVE_INFINITY];
  if (test.operator === 'lt' || test.operator === 'lte') return [Number.NEGATIVE_INFINITY, operand.value];
  return everything;
}
