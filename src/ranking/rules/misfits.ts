/** Finds conditions that an environment cannot evaluate, because it declares their key not at all, or with another type. */

import { itemFields, type PropertyDefinition, type PropertyType } from '../../deployment/deployment.ts';
import { isTextOperator } from './predicates.ts';
import { type Configuration, type Operand, type Query, queriesOf, type Test } from './types.ts';

export type Misfit = {
  /** RFC 6901, into the configuration: `/constraints/0`, `/preferences/1`. */
  pointer: string;
  key: string;
  /** `undeclared`: no item has a value. `other_type`: no value of the declared type satisfies a test. */
  reason: 'undeclared' | 'other_type';
};

type Properties = ReadonlyMap<string, Pick<PropertyDefinition, 'type'>>;

export function findMisfits({ rules, preferences }: Configuration, properties: Properties): Misfit[] {
  const queries = [
    ...rules.flatMap((rule, i) => {
      const tested = rule.kind === 'diversify' ? [{ key: rule.key, tests: [] }] : queriesOf(rule);
      return tested.map((query): [string, Query] => [`/constraints/${i}`, query]);
    }),
    ...preferences.map(({ query }, i): [string, Query] => [`/preferences/${i}`, query]),
  ];
  return queries.flatMap(([pointer, query]): Misfit[] => {
    const unknown = keysOf(query).find((key) => !isField(key) && !properties.has(key));
    if (unknown !== undefined) return [{ pointer, key: unknown, reason: 'undeclared' }];
    const type = properties.get(query.key)?.type;
    if (type === undefined || query.tests.every((test) => suits(test, type))) return [];
    return [{ pointer, key: query.key, reason: 'other_type' }];
  });
}

/** These have the same type in every deployment. */
const isField = (key: string) => itemFields.has(key) || key.startsWith('item_attributes.');

/** Returns the key of a condition, and the keys of the items that it takes its values from. */
function keysOf({ key, tests }: Query): string[] {
  const operands = tests.flatMap((test) => ('operands' in test ? test.operands : []));
  const sources = operands.flatMap((operand) =>
    'variable' in operand && operand.variable.context !== 'request_body' ? [operand.variable.name] : [],
  );
  return [key, ...sources];
}

const isText = (type: PropertyType) => type === 'string' || type === 'string[]';

/** Numbers compared with an instant are Unix seconds, texts are moments. */
const scalarTypes: Record<string, (type: PropertyType) => boolean> = {
  string: (type) => isText(type) || type === 'datetime',
  number: (type) => type === 'number' || type === 'datetime',
  boolean: (type) => type === 'boolean',
};

/** Returns whether a value of the type can satisfy the test, or fail one with `not`. */
function suits(test: Test, type: PropertyType): boolean {
  if (test.operator === 'range') return type === 'number' || type === 'datetime';
  if (test.operator === 'date_range') return type === 'datetime';
  if (isTextOperator(test.operator)) return isText(type);
  if (test.operator !== 'equals' && type !== 'number' && type !== 'datetime') return false;
  const accepts = (operand: Operand) => 'variable' in operand || scalarTypes[typeof operand.value](type);
  return test.operands.length === 0 || test.operands.some(accepts);
}
