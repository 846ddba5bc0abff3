/** A configuration's JSON, in whichever spelling, as the message that drafts are sent in. */

import { fromJson } from '@bufbuild/protobuf';
import {
  type Configuration,
  ConfigurationSchema,
  type Query,
  QuerySchema,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  type Condition,
  type Document,
  type Json,
  type JsonObject,
  type Operand,
  placesOf,
  readCondition,
} from './document.ts';

const operandJson = (operand: Operand): Json =>
  'value' in operand ? { value: operand.value } : { variable: operand.variable as JsonObject };

/** The grammar's operators, each in the one spelling that the message has. */
function queryJson({ key, tests }: Condition): JsonObject {
  const json: JsonObject = { key };
  const places = placesOf(tests);
  for (const [i, test] of tests.entries()) {
    if (test.kind === 'range') json.range = { min: test.min, max: test.max };
    else if (test.kind === 'date_range') json.date_range = dropAbsent({ min: test.min, max: test.max });
    else {
      const operands = test.operands.map(operandJson);
      const joined = { [test.isAll ? 'and' : 'or']: operands };
      if (places[i] !== 'match') json[places[i]] = operands;
      else json.match = test.isNegated ? { not: joined } : joined;
    }
  }
  return json;
}

function dropAbsent(object: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Notes stand in documents with a `_` before the name that they have in the message. */
function ruleJson(json: Json): Json {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const rule = Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name.replace(/^_/, ''), value]),
  );
  return rule.query === undefined ? rule : { ...rule, query: queryJson(readCondition(rule.query)) };
}

/** A condition as a filter of items. */
export const toQuery = (condition: Condition): Query => fromJson(QuerySchema, queryJson(condition));

/** Throws an error with a sentence when a field has no place in the message. */
export function toMessage(document: Document): Configuration {
  const { constraints = [], preferences = [], ...settings } = document;
  return fromJson(ConfigurationSchema, {
    ...settings,
    constraints: constraints.map(ruleJson),
    preferences: preferences.map(ruleJson),
  });
}
