/**
 * A configuration as the rules room understands it: the documented JSON grammar, normalised.
 *
 * Every spelling of the grammar ends here: a bare value, `{value}` and `{variable}` are an Operand, one comparator and an
 * array of them are a list of operands, and the operators of one query are a list of tests that all must hold.
 */

export type Scalar = string | number | boolean;

/** A value given at request time. See QueryVariable in configuration.proto. */
export type Variable = {
  name: string;
  /** `request_body`: a field of the list, then of the request; `item`: the metadata of the context item. */
  context: 'request_body' | 'item';
  default?: string | number | boolean;
  /** The whole constraint or preference is ignored when the variable is absent. */
  onAbsentDrop: boolean;
};

export type Operand = { value: Scalar } | { variable: Variable };

/** Operators that compare a key's value with operands. */
export type ComparisonOperator = 'equals' | 'contains' | 'starts_with' | 'gt' | 'gte' | 'lt' | 'lte';

/**
 * One operator of a query.
 *
 * `quantifier` says how several operands join: `any` (an array, `or`, the default) or `all` (`and`).
 * `negated` turns the joined result round (`not`).
 */
export type ComparisonTest = {
  operator: ComparisonOperator;
  operands: Operand[];
  quantifier: 'any' | 'all';
  negated: boolean;
};

/** Inclusive numeric interval. */
export type RangeTest = { operator: 'range'; min: number; max: number };

/**
 * A point in time: fixed (milliseconds since the epoch), or relative to the request (`now-72h`, `now/d`).
 * `offsetMs` is added to now after rounding down to `floor`, in UTC.
 */
export type Moment = { at: number } | { offsetMs: number; floor?: 'minute' | 'hour' | 'day' };

/** Inclusive interval of time; either end may be absent. */
export type DateRangeTest = { operator: 'date_range'; min?: Moment; max?: Moment };

export type Test = ComparisonTest | RangeTest | DateRangeTest;

/** A condition on one metadata key: all tests must hold. */
export type Query = { key: string; tests: Test[] };

/**
 * A condition with its limit, in order of declaration.
 * Without min and max it is a must: every item satisfies it.
 */
export type ConstraintRule = { kind: 'constraint'; query: Query; min?: number; max?: number };

/** At most `max` items share a value of `key`. */
export type DiversifyRule = { kind: 'diversify'; key: string; max: number };

export type Rule = ConstraintRule | DiversifyRule;

/** Items are ordered by total matched weight first. The weight may be negative. */
export type Preference = { query: Query; weight: number };

export type Configuration = {
  configurationId: string;
  rules: Rule[];
  preferences: Preference[];
};
