/**
 * A configuration's JSON in the documented grammar, as the editor works with it.
 *
 * The document is the one truth: the form reads rules from it and writes the rule that was changed back; every other rule
 * keeps the spelling that it came in.
 */

export type Scalar = string | number | boolean;

export type Variable = {
  name: string;
  context?: 'request_body' | 'item';
  default?: Scalar;
  on_absent_drop?: boolean;
};

export type Operand = { value: Scalar } | { variable: Variable };

/** Operators by the names that they have in a document; `equals` is called `match` there. */
const comparisons = ['contains', 'starts_with', 'gt', 'gte', 'lt', 'lte'] as const;

/** How a key's values are compared. */
export type Comparison = 'equals' | (typeof comparisons)[number];

export type Test =
  | { kind: 'compare'; operator: Comparison; operands: Operand[]; isAll: boolean; isNegated: boolean }
  | { kind: 'range'; min: number; max: number }
  | { kind: 'date_range'; min?: string; max?: string };

type Compared = Test & { kind: 'compare' };

export type Condition = { key: string; tests: Test[] };

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type Document = JsonObject & {
  constraints?: Json[];
  preferences?: Json[];
};

export type ConstraintRule = {
  kind: 'constraint';
  condition: Condition;
  min?: number;
  max?: number;
  note: string;
};
export type DiversifyRule = { kind: 'diversify'; key: string; max: number; note: string };
export type Rule = ConstraintRule | DiversifyRule;
export type Preference = { condition: Condition; weight: number; note: string };

const isObject = (one: unknown): one is JsonObject =>
  typeof one === 'object' && one !== null && !Array.isArray(one);

const isScalar = (one: unknown): one is Scalar => ['string', 'number', 'boolean'].includes(typeof one);

const listOf = (one: Json | undefined): Json[] => (one === undefined ? [] : Array.isArray(one) ? one : [one]);

function readOperand(json: Json): Operand {
  if (isObject(json) && isObject(json.variable)) return { variable: json.variable as Variable };
  if (isObject(json) && isScalar(json.value)) return { value: json.value };
  return { value: isScalar(json) ? json : '' };
}

function compare(operator: Comparison, json: Json | undefined, isAll = false, isNegated = false): Test {
  return { kind: 'compare', operator, operands: listOf(json).map(readOperand), isAll, isNegated };
}

/** The body of `match`, or of the `not` in it. */
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
  const tests: Test[] = json.match === undefined ? [] : readMatch(json.match);
  for (const operator of comparisons) {
    if (json[operator] !== undefined) tests.push(compare(operator, json[operator]));
  }
  if (isObject(json.range)) {
    tests.push({ kind: 'range', min: Number(json.range.min), max: Number(json.range.max) });
  }
  if (isObject(json.date_range)) {
    const { min, max } = json.date_range;
    tests.push({
      kind: 'date_range',
      min: typeof min === 'string' ? min : undefined,
      max: typeof max === 'string' ? max : undefined,
    });
  }
  if (json.or !== undefined) tests.push(compare('equals', json.or));
  if (json.and !== undefined) tests.push(compare('equals', json.and, true));
  return { key: typeof json.key === 'string' ? json.key : '', tests };
}

const noteNames = ['_constraint_explanation', '_diversify_explanation', '_preference_explanation'];

const noteOf = (json: JsonObject): string =>
  (noteNames.map((name) => json[name]).find((note) => typeof note === 'string') as string) ?? '';

const numberOf = (json: Json | undefined): number | undefined =>
  typeof json === 'number' ? json : undefined;

export function readRule(json: Json): Rule {
  const rule = isObject(json) ? json : {};
  const limit = isObject(rule.limit) ? rule.limit : {};
  const note = noteOf(rule);
  if (isObject(rule.diversify)) {
    return { kind: 'diversify', key: String(rule.diversify.key ?? ''), max: numberOf(limit.max) ?? 1, note };
  }
  const { min, max } = limit;
  return {
    kind: 'constraint',
    condition: readCondition(rule.query),
    min: numberOf(min),
    max: numberOf(max),
    note,
  };
}

export function readPreference(json: Json): Preference {
  const preference = isObject(json) ? json : {};
  return {
    condition: readCondition(preference.query),
    weight: numberOf(preference.weight) ?? 1,
    note: noteOf(preference),
  };
}

/** The short spelling of an operand: the bare value. */
const printOperand = (operand: Operand): Json =>
  'value' in operand ? operand.value : { variable: operand.variable as JsonObject };

function printOperands(operands: Operand[]): Json {
  return operands.length === 1 ? printOperand(operands[0]) : operands.map(printOperand);
}

/**
 * Where each test of a query stands: under its operator, but equality has three places. `match` takes any test, so one that is
 * negated has it, else the first; `or` and `and` beside it take one more each.
 */
export function placesOf(tests: readonly Test[]): string[] {
  const equal = tests.filter((test) => test.kind === 'compare' && test.operator === 'equals') as Compared[];
  const matched = equal.find(({ isNegated }) => isNegated) ?? equal[0];
  return tests.map((test) => {
    if (test.kind !== 'compare') return test.kind;
    if (test.operator !== 'equals') return test.operator;
    if (test === matched || test.isNegated) return 'match';
    return test.isAll ? 'and' : 'or';
  });
}

/** Whether one query can hold all of them: it has each place once. */
export const fitsOneQuery = (tests: readonly Test[]): boolean =>
  new Set(placesOf(tests)).size === tests.length;

function printEquals({ operands, isAll, isNegated }: Compared): Json {
  const joined: Json = isAll ? { and: operands.map(printOperand) } : printOperands(operands);
  if (isNegated) return { not: !isAll && operands.length > 1 ? { or: joined } : joined };
  return joined;
}

export function printCondition({ key, tests }: Condition): JsonObject {
  const json: JsonObject = { key };
  const places = placesOf(tests);
  for (const [i, test] of tests.entries()) {
    if (test.kind === 'range') json.range = { min: test.min, max: test.max };
    else if (test.kind === 'date_range') {
      json.date_range = {
        ...(test.min !== undefined && { min: test.min }),
        ...(test.max !== undefined && { max: test.max }),
      };
    } else if (places[i] === 'match') json.match = printEquals(test);
    else if (test.operator === 'equals') json[places[i]] = test.operands.map(printOperand);
    else json[test.operator] = printOperands(test.operands);
  }
  return json;
}

export function printRule(rule: Rule): JsonObject {
  if (rule.kind === 'diversify') {
    return {
      diversify: { key: rule.key },
      ...(rule.max !== 1 && { limit: { max: rule.max } }),
      ...(rule.note && { _diversify_explanation: rule.note }),
    };
  }
  const { condition, min, max, note } = rule;
  const limit = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return {
    query: printCondition(condition),
    ...((min !== undefined || max !== undefined) && { limit }),
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

export const rulesOf = (document: Document): Rule[] => (document.constraints ?? []).map(readRule);
export const preferencesOf = (document: Document): Preference[] =>
  (document.preferences ?? []).map(readPreference);

export const print = (document: Json): string => JSON.stringify(document, null, 2);

/** `5` is a number, `true` a boolean, anything else a text. */
export function readScalar(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
