/**
 * Encodes messages as JSON. Fields without presence are always included, even if zero or empty;
 * others only if set. A `nonEmpty` list or map is left out if empty.
 */

import type { DescMessage, JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import type { Timestamp, Value } from '@bufbuild/protobuf/wkt';
import type { FieldPlan } from './field-plan.ts';
import { type MessagePlan, planOf } from './plan.ts';
import { formatTimestamp } from './timestamps.ts';
import { jsonFromValue, setProperty } from './values.ts';
import { verbatimOf } from './verbatim.ts';

export function encodeJson(desc: DescMessage, message: Message): JsonValue {
  return encodeMessage(planOf(desc), message);
}

export function encodeMessage(plan: MessagePlan, message: Message): JsonValue {
  const fields = message as unknown as Record<string, unknown>;
  if (plan.verbatim) {
    const source = verbatimOf(message);
    if (source !== undefined) return source;
  }
  if (plan.bareOnly) return encodeList(plan.bare!, fields[plan.bare!.local] as unknown[]);
  const json: JsonObject = {};
  for (const field of plan.properties) {
    const value = heldBy(field, fields);
    const encoded = value === undefined ? undefined : encodeField(field, value);
    if (encoded !== undefined) json[field.name] = encoded;
  }
  if (plan.rest !== undefined) spreadRest(plan, fields[plan.rest.local] as JsonObject | undefined, json);
  return json;
}

/** Encodes the value of a field. Returns undefined if it is left out. */
export function encodeField(field: FieldPlan, value: unknown): JsonValue | undefined {
  if (field.container === 'one') return encodeElement(field, value);
  if (field.nonEmpty && Object.keys(value as object).length === 0) return undefined;
  if (field.container === 'list') return encodeList(field, value as unknown[]);
  return encodeMap(field, value as Record<string, unknown>);
}

/** Returns the value of a field; undefined if it has presence and is not set. */
export function heldBy(field: FieldPlan, fields: Record<string, unknown>): unknown {
  if (field.oneof === undefined) return fields[field.local];
  const group = fields[field.oneof] as { case?: string; value?: unknown };
  return group.case === field.local ? group.value : undefined;
}

function encodeList(field: FieldPlan, list: unknown[]): JsonValue[] {
  const json: JsonValue[] = [];
  for (const element of list) json.push(encodeElement(field, element) ?? null);
  return json;
}

function encodeMap(field: FieldPlan, map: Record<string, unknown>): JsonObject {
  const json: JsonObject = {};
  for (const name of Object.keys(map)) setProperty(json, name, encodeElement(field, map[name]) ?? null);
  return json;
}

function encodeElement(field: FieldPlan, value: unknown): JsonValue | undefined {
  switch (field.kind) {
    case 'message':
      return encodeMessage(field.message!, value as Message);
    case 'int64':
      return Number(value);
    case 'enum':
      return field.enumeration!.byNumber.get(value as number);
    case 'timestamp':
      return formatTimestamp(value as Timestamp);
    case 'value':
      return jsonFromValue(value as Value);
    default:
      return value as JsonValue;
  }
}

function spreadRest(plan: MessagePlan, rest: JsonObject | undefined, json: JsonObject): void {
  if (rest === undefined) return;
  for (const name of Object.keys(rest)) {
    if (!plan.byName.has(name)) setProperty(json, name, rest[name]);
  }
}
