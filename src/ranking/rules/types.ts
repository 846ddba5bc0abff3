/**
 * The normalised form of a configuration.
 *
 * All spellings of the documented grammar become one: a bare value, `{value}` and `{variable}` are
 * an Operand, one comparator or an array of them are a list of operands, and the operators of a
 * query are a list of tests that must all hold.
 */

export type Scalar = string | number | boolean;

/** A value from the request; see QueryVariable in configuration.proto. */
export type Variable = {
  name: string;
  /**
   * `request_body`: a field of the list, then of the request; `item`: of the context item; `history`:
   * of the items of the subject's history.
   */
  context: 'request_body' | 'item' | 'history';
  /** For the history: event types that count [all]. */
  events?: readonly string[];
  /** For the history: maximum age of events in days [unlimited]. */
  days?: number;
  /** For the history: most values, newest first [mostHistoryValues]. */
  maxValues?: number;
  /** For the history: reads only disliked items [all others]. */
  disliked?: boolean;
  default?: string | number | boolean;
  /** Ignores the whole constraint or preference when the variable is absent. */
  onAbsentDrop: boolean;
};

export type Operand = { value: Scalar } | { variable: Variable };

/** Operators that compare a key's value with operands. */
export type ComparisonOperator = 'equals' | 'contains' | 'starts_with' | 'gt' | 'gte' | 'lt' | 'lte';

/**
 * One operator of a query.
 *
 * `quantifier` joins several operands: `any` (an array, `or`, the default) or `all` (`and`).
 * `negated` inverts the result (`not`).
 */
export type ComparisonTest = {
  operator: ComparisonOperator;
  operands: Operand[];
  quantifier: 'any' | 'all';
  negated: boolean;
};

/** Inclusive numeric interval. */
type RangeTest = { operator: 'range'; min: number; max: number };

/**
 * A point in time: fixed (milliseconds since the epoch), or relative to the request (`now-72h`,
 * `now/d`). `offsetMs` is added to now after rounding down to `floor` in local time. A
 * date is midnight of its day, local time, in milliseconds as if it were UTC.
 */
export type Moment =
  | { at: number }
  | { date: number }
  | { offsetMs: number; floor?: 'minute' | 'hour' | 'day' };

/** Inclusive interval of time; either end may be absent. */
type DateRangeTest = { operator: 'date_range'; min?: Moment; max?: Moment };

export type Test = ComparisonTest | RangeTest | DateRangeTest;

/** A condition on one key: all tests must hold. */
export type Query = { key: string; tests: Test[] };

/** A condition on items. Without `min` and `max` it is a must, which every item satisfies. */
export type ConstraintRule = {
  kind: 'constraint';
  query: Query;
  min?: number;
  max?: number;
  guarantee?: Guarantee;
};

/** Impressions of matching items in each day: a number, or a share of all. Times in milliseconds since 1970. */
export type Guarantee = {
  guaranteeId: string;
  dailyImpressions?: number;
  dailyShare?: number;
  activeFromMs?: number;
  activeUntilMs?: number;
};

/** At most `max` items share a value of `key`. */
export type DiversifyRule = { kind: 'diversify'; key: string; max: number };

/** Groups of items, of which a list holds at most one. */
export type ApartRule = { kind: 'apart'; queries: readonly Query[] };

export type Rule = ConstraintRule | DiversifyRule | ApartRule;

/** Returns the conditions of a rule or preference. */
export const queriesOf = (rule: Rule | Preference): readonly Query[] =>
  'queries' in rule ? rule.queries : 'query' in rule ? [rule.query] : [];

/** Returns the metadata keys that a rule compares. */
export const keysOf = (rule: Rule): string[] =>
  rule.kind === 'diversify' ? [rule.key] : [...new Set(queriesOf(rule).map(({ key }) => key))];

/** A weight, possibly negative, for matching items; items are ordered by total weight first. */
export type Preference = { query: Query; weight: number };

export type Configuration = {
  configurationId: string;
  rules: Rule[];
  preferences: Preference[];
};
