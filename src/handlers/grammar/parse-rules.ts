/** Parses configurations into rules, and checks what message types cannot express. */

import type { Value } from '@bufbuild/protobuf/wkt';
import type {
  Configuration as ConfigurationMessage,
  Constraint,
  DateRange,
  NumberRange,
  Operand as OperandMessage,
  QueryMatch,
  Query as QueryMessage,
  QueryNot,
  Variable as VariableMessage,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { eventTypeNames } from '../../deployment/convert-item-types.ts';
import type { Violation } from '../../errors.ts';
import { isImpression } from '../../events/meaning.ts';
import { comparisons } from '../../formats/conditions.ts';
import { nearestName } from '../../nearest-name.ts';
import { parseMoment } from '../../ranking/rules/moments.ts';
import type {
  ComparisonOperator,
  ComparisonTest,
  Configuration,
  Moment,
  Operand,
  Preference,
  Query,
  Rule,
  Scalar,
  Test,
  Variable,
} from '../../ranking/rules/types.ts';

import { parseGuarantee } from './parse-guarantee.ts';

export type ConfigurationParse = {
  configuration: Configuration;
  violations: Violation[];
  /** Metadata keys in use, each with a pointer to its first use. */
  keys: Map<string, string>;
};

/** Converts and checks a message; the configuration is valid only without violations. */
export function parseConfiguration(message: ConfigurationMessage): ConfigurationParse {
  const context: Context = { violations: [], keys: new Map(), guaranteeIds: new Set(), apartCount: 0 };
  const rules = message.constraints.map((constraint, i) =>
    parseRule(constraint, `/constraints/${i}`, context),
  );
  const preferences = message.preferences.map((preference, i): Preference => {
    const pointer = `/preferences/${i}`;
    return {
      query: parseQuery(preference.query, `${pointer}/query`, context),
      weight: preference.weight ?? 1,
    };
  });
  return {
    configuration: { configurationId: message.configurationId ?? '', rules, preferences },
    violations: context.violations,
    keys: context.keys,
  };
}

type Context = {
  violations: Violation[];
  keys: Map<string, string>;
  guaranteeIds: Set<string>;
  apartCount: number;
};

function fault(context: Context, pointer: string, detail: string): void {
  context.violations.push({ pointer, detail });
}

function useKey(context: Context, key: string, pointer: string): void {
  if (!context.keys.has(key)) context.keys.set(key, pointer);
}

function parseRule(constraint: Constraint, pointer: string, context: Context): Rule {
  const { limit, rule } = constraint;
  if (rule.case === 'diversify') {
    useKey(context, rule.value.key, `${pointer}/diversify/key`);
    if (limit?.min !== undefined) fault(context, `${pointer}/limit/min`, 'A diversify has no minimum.');
    if (constraint.guarantee) fault(context, `${pointer}/guarantee`, 'A diversify has no guarantee.');
    if (limit?.max === 0) fault(context, `${pointer}/limit/max`, 'Must be at least 1 beside diversify.');
    return { kind: 'diversify', key: rule.value.key, max: limit?.max ?? 1 };
  }
  if (rule.case === 'neverTogether') {
    const { queries } = rule.value;
    const at = `${pointer}/never_together`;
    if (queries.length < 2) fault(context, at, 'Must have at least 2 conditions.');
    if (limit) fault(context, `${pointer}/limit`, 'A never_together has no limit.');
    if (constraint.guarantee) fault(context, `${pointer}/guarantee`, 'A never_together has no guarantee.');
    context.apartCount += 1;
    if (context.apartCount > mostApart) fault(context, at, `At most ${mostApart} in a configuration.`);
    return { kind: 'apart', queries: queries.map((query, i) => parseQuery(query, `${at}/${i}`, context)) };
  }
  if (rule.case === undefined) fault(context, pointer, 'Must have a query, a diversify or a never_together.');
  const query = rule.case === 'query' ? parseQuery(rule.value, `${pointer}/query`, context) : emptyQuery;
  if (limit && limit.min !== undefined && limit.max !== undefined && limit.min > limit.max) {
    fault(context, `${pointer}/limit`, 'min must not be above max.');
  }
  const { guarantee, violations } = parseGuarantee(constraint, query, pointer, context.guaranteeIds);
  context.violations.push(...violations);
  return { kind: 'constraint', query, min: limit?.min, max: limit?.max, ...(guarantee && { guarantee }) };
}

/** Each may double the compositions of a list. */
const mostApart = 5;

const emptyQuery: Query = { key: '', tests: [] };

function parseQuery(message: QueryMessage | undefined, pointer: string, context: Context): Query {
  if (!message) return emptyQuery;
  useKey(context, message.key, `${pointer}/key`);
  const tests: Test[] = [];
  if (message.match) tests.push(...parseMatch(message.match, `${pointer}/match`, context));
  for (const { field, name } of comparisons) {
    const operands = message[field];
    if (operands.length > 0)
      tests.push(comparison(name, parseOperands(operands, `${pointer}/${name}`, context)));
  }
  if (message.range) tests.push(parseRange(message.range, `${pointer}/range`, context));
  if (message.dateRange) tests.push(parseDateRange(message.dateRange, `${pointer}/date_range`, context));
  if (message.or.length > 0)
    tests.push(comparison('equals', parseOperands(message.or, `${pointer}/or`, context)));
  if (message.and.length > 0) {
    tests.push(
      comparison('equals', parseOperands(message.and, `${pointer}/and`, context), { quantifier: 'all' }),
    );
  }
  if (tests.length === 0 && !message.match)
    fault(context, pointer, 'Must have at least one operator beside key.');
  return { key: message.key, tests };
}

type Joining = { quantifier?: 'any' | 'all'; negated?: boolean };

function comparison(
  operator: ComparisonOperator,
  operands: Operand[],
  joining: Joining = {},
): ComparisonTest {
  return { operator, operands, quantifier: joining.quantifier ?? 'any', negated: joining.negated ?? false };
}

/** Requires exactly one of value, variable, `and`, `or` and `not`; `not` cannot nest. */
function parseMatch(match: QueryMatch, pointer: string, context: Context): Test[] {
  const tests = parseEquality(match, pointer, context, false);
  checkAlternatives(tests.length + (match.not ? 1 : 0), pointer, context);
  if (!match.not) return tests;
  const negated = parseEquality(match.not, `${pointer}/not`, context, true);
  checkAlternatives(negated.length, `${pointer}/not`, context);
  return [...tests, ...negated];
}

function checkAlternatives(count: number, pointer: string, context: Context): void {
  if (count !== 1) fault(context, pointer, 'Must have exactly one of a value, a variable, and, or, not.');
}

function parseEquality(
  body: QueryMatch | QueryNot,
  pointer: string,
  context: Context,
  negated: boolean,
): Test[] {
  const tests: Test[] = [];
  if (body.value || body.variable) {
    const operands = [parseOperand(body, pointer, context)];
    tests.push(comparison('equals', operands, { negated }));
  }
  if (body.or.length > 0) {
    tests.push(comparison('equals', parseOperands(body.or, `${pointer}/or`, context), { negated }));
  }
  if (body.and.length > 0) {
    const operands = parseOperands(body.and, `${pointer}/and`, context);
    tests.push(comparison('equals', operands, { quantifier: 'all', negated }));
  }
  return tests;
}

function parseOperands(operands: OperandMessage[], pointer: string, context: Context): Operand[] {
  return operands.map((operand, i) => parseOperand(operand, `${pointer}/${i}`, context));
}

function parseOperand(
  operand: { value?: Value; variable?: VariableMessage },
  pointer: string,
  context: Context,
): Operand {
  if (operand.value && operand.variable) fault(context, pointer, 'Must be a value or a variable, not both.');
  if (operand.variable) return { variable: parseVariable(operand.variable, `${pointer}/variable`, context) };
  const value = operand.value && parseScalar(operand.value);
  if (value === undefined)
    fault(context, pointer, 'Must be a value (string, number or boolean) or a variable.');
  return { value: value ?? '' };
}

function parseVariable(variable: VariableMessage, pointer: string, context: Context): Variable {
  const { name, context: source = 'request_body', onAbsentDrop } = variable;
  const parsed: Variable = {
    name,
    context: source as Variable['context'],
    onAbsentDrop: onAbsentDrop ?? (source === 'history' && variable.default === undefined),
  };
  if (variable.default) {
    parsed.default = parseScalar(variable.default);
    if (parsed.default === undefined)
      fault(context, `${pointer}/default`, 'Must be a string, number or boolean.');
  }
  if (source !== 'request_body') useKey(context, name, `${pointer}/name`);
  return { ...parsed, ...parseHistoryVariable(variable, pointer, context) };
}

/** New visitors have no history, so a configuration must serve them, too. */
function parseHistoryVariable(
  { context: source, default: usual, onAbsentDrop, events, days, maxValues, disliked }: VariableMessage,
  pointer: string,
  context: Context,
): Pick<Variable, 'events' | 'days' | 'maxValues' | 'disliked'> {
  if (source !== 'history') {
    const given = { events: events[0], days, max_values: maxValues, disliked };
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) fault(context, `${pointer}/${name}`, 'Needs the context history.');
    return {};
  }
  if (onAbsentDrop === false && usual === undefined)
    fault(
      context,
      `${pointer}/on_absent_drop`,
      'Must not be false without a default: new visitors have no history.',
    );
  if (disliked && events.length > 0)
    fault(context, `${pointer}/events`, 'Must be empty with disliked, which reads opinions from all events.');
  events.forEach((event, i) => {
    if (isImpression(event)) fault(context, `${pointer}/events/${i}`, 'Impressions are not in the history.');
    else if (!eventTypeNames.has(event)) fault(context, `${pointer}/events/${i}`, unknownEvent(event));
  });
  return { events: events.length > 0 ? events : undefined, days, maxValues, disliked };
}

function unknownEvent(event: string): string {
  const meant = nearestName(event, eventTypeNames);
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  return `Unknown event type ${JSON.stringify(event)}.${hint}`;
}

function parseScalar(value: Value): Scalar | undefined {
  const { kind } = value;
  if (kind.case === 'stringValue' || kind.case === 'numberValue' || kind.case === 'boolValue')
    return kind.value;
  return undefined;
}

function parseRange(range: NumberRange, pointer: string, context: Context): Test {
  const min = range.min ?? Number.NaN;
  const max = range.max ?? Number.NaN;
  if (min > max) fault(context, pointer, 'min must not be above max.');
  return { operator: 'range', min, max };
}

function parseDateRange(range: DateRange, pointer: string, context: Context): Test {
  const min = parseEnd(range.min, `${pointer}/min`, context);
  const max = parseEnd(range.max, `${pointer}/max`, context);
  if (!min && !max && range.min === undefined && range.max === undefined) {
    fault(context, pointer, 'Must have min or max.');
  }
  if (min && max && 'at' in min === 'at' in max && fixedOf(min) > fixedOf(max))
    fault(context, pointer, 'min must not be after max.');
  return { operator: 'date_range', min, max };
}

const fixedOf = (moment: Moment): number =>
  'at' in moment ? moment.at : 'date' in moment ? moment.date : Number.NaN;

function parseEnd(text: string | undefined, pointer: string, context: Context): Moment | undefined {
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (!moment) {
    fault(context, pointer, 'Must be RFC 3339 with an offset, a date, or relative such as now-72h or now/d.');
  }
  return moment;
}
