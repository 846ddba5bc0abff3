/** Free-form JSON: google.protobuf.Struct and google.protobuf.Value. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Struct, Value } from '@bufbuild/protobuf/wkt';
import { type Findings, report } from './findings.ts';
import { checkString } from './limits.ts';

/** Maximum nesting of arrays and objects; protobuf's 100 levels allow about three for each. */
export const maxDepth = 32;

export function isObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Checks strings, keys, numbers and depth of JSON. */
export function checkJson(value: JsonValue, maxLength: number, findings: Findings, depth = 0): void {
  if (typeof value === 'string') checkString(value, maxLength, findings);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) report(findings, 'Must be finite; send integers beyond 2^53 as strings.');
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= maxDepth) report(findings, `Must not be nested deeper than ${maxDepth} levels.`);
    else checkNested(value, maxLength, findings, depth + 1);
  }
}

/** Sets a property of plain JSON, also one named `__proto__`. */
export function setProperty(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Converts JSON that has passed checkJson. */
export function valueFromJson(json: JsonValue): Value {
  return { $typeName: 'google.protobuf.Value', kind: kindFromJson(json) };
}

export function jsonFromValue({ kind }: Value): JsonValue | undefined {
  switch (kind.case) {
    case 'structValue':
      return jsonFromStruct(kind.value);
    case 'listValue':
      return kind.value.values.map((value) => jsonFromValue(value) ?? null);
    case 'nullValue':
      return null;
    default:
      return kind.value;
  }
}

/** Returns whether a Value is nested deeper than JSON may be. */
export function isTooDeep(value: Value, depth = 0): boolean {
  const { kind } = value;
  if (kind.case !== 'structValue' && kind.case !== 'listValue') return false;
  if (depth >= maxDepth) return true;
  const values = kind.case === 'listValue' ? kind.value.values : Object.values(kind.value.fields);
  return values.some((inner) => isTooDeep(inner, depth + 1));
}

function checkNested(
  value: JsonObject | JsonValue[],
  maxLength: number,
  findings: Findings,
  depth: number,
): void {
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    findings.trail.push(name);
    if (!isList) checkString(name, maxLength, findings);
    checkJson((value as JsonObject)[name], maxLength, findings, depth);
    findings.trail.pop();
  }
}

function kindFromJson(json: JsonValue): Value['kind'] {
  if (typeof json === 'string') return { case: 'stringValue', value: json };
  if (typeof json === 'number') return { case: 'numberValue', value: json };
  if (typeof json === 'boolean') return { case: 'boolValue', value: json };
  if (json === null) return { case: 'nullValue', value: 0 };
  if (Array.isArray(json))
    return {
      case: 'listValue',
      value: { $typeName: 'google.protobuf.ListValue', values: json.map(valueFromJson) },
    };
  return { case: 'structValue', value: structFromJson(json) };
}

function structFromJson(json: JsonObject): Struct {
  const struct: Struct = { $typeName: 'google.protobuf.Struct', fields: {} };
  for (const name of Object.keys(json)) setProperty(struct.fields, name, valueFromJson(json[name]));
  return struct;
}

function jsonFromStruct(struct: Struct): JsonObject {
  const json: JsonObject = {};
  for (const name of Object.keys(struct.fields))
    setProperty(json, name, jsonFromValue(struct.fields[name]) ?? null);
  return json;
}
