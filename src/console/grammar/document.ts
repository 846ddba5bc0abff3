/**
 * A rule set's JSON in the documented grammar, as the editor works with it.
 *
 * The document is the single source: the form reads rules from it and writes back only the rule that changed; other rules keep
 * their spelling.
 */

import { type Comparison, comparisons } from '../../formats/conditions.ts';

export type Scalar = string | number | boolean;

export type Variable = {
  name: string;
  context?: 'request_body' | 'item' | 'history';
  events?: string[];
  days?: number;
  disliked?: boolean;
  default?: Scalar;
  on_absent_drop?: boolean;
};

export type Operand = { value: Scalar } | { variable: Variable };

/** Operators by their names in a document; `equals` is spelled `match`. */
export type Operator = 'equals' | Comparison;

type Compared = {
  kind: 'compare';
  operator: Operator;
  operands: Operand[];
  isAll: boolean;
  isNegated: boolean;
};

export type Test =
  | Compared
  | { kind: 'range'; min: number; max: number }
  | { kind: 'date_range'; min?: string; max?: string };

export type Condition = { key: string; tests: Test[] };

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Document = JsonObject & { constraints?: Json[]; preferences?: Json[] };

export type ConstraintRule = {
  kind: 'constraint';
  condition: Condition;
  min?: number;
  max?: number;
  /** Kept as it is. */
  guarantee?: JsonObject;
  note: string;
};
type DiversifyRule = { kind: 'diversify'; key: string; max: number; note: string };
type ApartRule = { kind: 'apart'; conditions: Condition[]; note: string };
export type Rule = ConstraintRule | DiversifyRule | ApartRule;
export type Preference = { condition: Condition; weight: number; note: string };

export const isObject = (one: unknown): one is JsonObject =>
  typeof one === 'object' && one !== null && !Array.isArray(one);
const isScalar = (one: unknown): one is Scalar => ['string', 'number', 'boolean'].includes(typeof one);
const textOf = (json: Json | undefined) => (typeof json === 'string' ? json : undefined);
const numberOf = (json: Json | undefined) => (typeof json === 'number' ? json : undefined);

function readOperand(json: Json): Operand {
  if (isObject(json) && isObject(json.variable)) return { variable: json.variable as Variable };
  if (isObject(json) && isScalar(json.value)) return { value: json.value };
  return { value: isScalar(json) ? json : '' };
}

function compare(operator: Operator, json: Json, isAll = false, isNegated = false): Test {
  const operands = (Array.isArray(json) ? json : [json]).map(readOperand);
  return { kind: 'compare', operator, operands, isAll, isNegated };
}

/** Reads the body of `match`, or of the `not` within it. */
function readMatch(json: Json, isNegated = false): Test[] {
  if (!isObject(json)) return [compare('equals', json, false, isNegated)];
  const tests: Test[] = [];
  if (json.not !== undefined) tests.push(...readMatch(json.not, true));
  if (json.or !== undefined) tests.push(...readMatch(json.or, isNegated));
  if (json.and !== undefined) tests.push(compare('equals', json.and, true, isNegated));
  if (json.value !== undefined || json.variable !== undefined)
    tests.push(compare('equals', [json], false, isNegated));
  return tests;
}

export function readCondition(json: Json | undefined): Condition {
  if (!isObject(json)) return { key: '', tests: [] };
  const { range, date_range: dates } = json;
  const tests: Test[] = json.match === undefined ? [] : readMatch(json.match);
  for (const { name } of comparisons) if (json[name] !== undefined) tests.push(compare(name, json[name]));
  if (isObject(range)) tests.push({ kind: 'range', min: Number(range.min), max: Number(range.max) });
  if (isObject(dates)) tests.push({ kind: 'date_range', min: textOf(dates.min), max: textOf(dates.max) });
  if (json.or !== undefined) tests.push(compare('equals', json.or));
  if (json.and !== undefined) tests.push(compare('equals', json.and, true));
  return { key: textOf(json.key) ?? '', tests };
}

const noteNames = ['_constraint_explanation', '_diversify_explanation', '_preference_explanation'];

const noteOf = (json: JsonObject): string =>
  noteNames.map((name) => textOf(json[name])).find((note) => note !== undefined) ?? '';

export function readRule(json: Json): Rule {
  const rule = isObject(json) ? json : {};
  const { min, max } = isObject(rule.limit) ? rule.limit : ({} as JsonObject);
  const note = noteOf(rule);
  if (isObject(rule.diversify))
    return { kind: 'diversify', key: String(rule.diversify.key ?? ''), max: numberOf(max) ?? 1, note };
  if (Array.isArray(rule.never_together))
    return { kind: 'apart', conditions: rule.never_together.map(readCondition), note };
  const condition = readCondition(rule.query);
  const guarantee = isObject(rule.guarantee) ? { guarantee: rule.guarantee } : {};
  return { kind: 'constraint', condition, min: numberOf(min), max: numberOf(max), ...guarantee, note };
}

export function readPreference(json: Json): Preference {
  const preference = isObject(json) ? json : {};
  const { query, weight } = preference;
  return { condition: readCondition(query), weight: numberOf(weight) ?? 1, note: noteOf(preference) };
}

/** Short spelling of an operand: the bare value. */
const printOperand = (operand: Operand): Json =>
  'value' in operand ? operand.value : { variable: operand.variable as JsonObject };

const printOperands = (operands: Operand[]): Json =>
  operands.length === 1 ? printOperand(operands[0]) : operands.map(printOperand);

/**
 * Returns the property of each test in a query: its operator, except for equality, which has three. `match` takes any test: the
 * negated one if there is one, else the first; `or` and `and` take one more each.
 */
function propertiesOf(tests: readonly Test[]): string[] {
  const equal = tests.filter((test) => test.kind === 'compare' && test.operator === 'equals') as Compared[];
  const matched = equal.find(({ isNegated }) => isNegated) ?? equal[0];
  return tests.map((test) => {
    if (test.kind !== 'compare') return test.kind;
    if (test.operator !== 'equals') return test.operator;
    if (test === matched || test.isNegated) return 'match';
    return test.isAll ? 'and' : 'or';
  });
}

/** Whether one query can hold all tests: it has each property once. */
export const fitsOneQuery = (tests: readonly Test[]): boolean =>
  new Set(propertiesOf(tests)).size === tests.length;

function printTest(test: Test, property: string): Json {
  if (test.kind === 'range') return { min: test.min, max: test.max };
  if (test.kind === 'date_range')
    return {
      ...(test.min !== undefined && { min: test.min }),
      ...(test.max !== undefined && { max: test.max }),
    };
  const { operands, isAll, isNegated } = test;
  if (property === 'or' || property === 'and') return operands.map(printOperand);
  const joined: Json = isAll ? { and: operands.map(printOperand) } : printOperands(operands);
  if (!isNegated) return joined;
  return { not: !isAll && operands.length > 1 ? { or: joined } : joined };
}

export function printCondition({ key, tests }: Condition): JsonObject {
  const properties = propertiesOf(tests);
  return {
    key,
    ...Object.fromEntries(tests.map((test, i) => [properties[i], printTest(test, properties[i])])),
  };
}

export function printRule(rule: Rule): JsonObject {
  if (rule.kind === 'diversify') {
    return {
      diversify: { key: rule.key },
      ...(rule.max !== 1 && { limit: { max: rule.max } }),
      ...(rule.note && { _diversify_explanation: rule.note }),
    };
  }
  if (rule.kind === 'apart') {
    return {
      never_together: rule.conditions.map(printCondition),
      ...(rule.note && { _constraint_explanation: rule.note }),
    };
  }
  const { condition, min, max, guarantee, note } = rule;
  const limit = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return {
    query: printCondition(condition),
    ...((min !== undefined || max !== undefined) && { limit }),
    ...(guarantee && { guarantee }),
    ...(note && { _constraint_explanation: note }),
  };
}

export function printPreference({ condition, weight, note }: Preference): JsonObject {
  return {
    query: printCondition(condition),
    ...(weight !== 1 && { weight }),
    ...(note && { _preference_explanation: note }),
  };
}

export const print = (document: Json): string => JSON.stringify(document, null, 2);

/** Reads `5` as a number, `true` as a boolean, and other text as a string. */
export function readScalar(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
