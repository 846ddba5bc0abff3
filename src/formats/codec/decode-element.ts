/** Decodes one value or element that is not a message of this API. */

import type { JsonValue } from '@bufbuild/protobuf';
import type { Timestamp, Value } from '@bufbuild/protobuf/wkt';
import type { FieldPlan } from './field-plan.ts';
import { type Findings, isFull, report, unknownName } from './findings.ts';
import { checkNumber, checkText } from './limits.ts';
import { joinPath, normalisePath } from './paths.ts';
import { parseTimestamp, timestampFromUnix } from './timestamps.ts';
import { checkJson, valueFromJson } from './values.ts';

/** Returns the value as in the message; undefined with a violation for other JSON. */
export function decodeElement(field: FieldPlan, json: JsonValue, findings: Findings): unknown {
  switch (field.kind) {
    case 'text':
      return decodeText(field, json, findings);
    case 'int32':
    case 'int64':
      return decodeInteger(field, json, findings);
    case 'double':
      return decodeDouble(field, json, findings);
    case 'bool':
      return typeof json === 'boolean' ? json : refuse('Must be true or false.', findings);
    case 'enum':
      return decodeEnum(field, json, findings);
    case 'timestamp':
      return decodeTimestamp(field, json, findings);
    case 'struct':
      if (json === null || typeof json !== 'object' || Array.isArray(json))
        return refuse('Must be an object.', findings);
      checkJson(json, field.maxLength, findings);
      return json;
    default:
      return decodeValue(field, json, findings);
  }
}

function decodeText(field: FieldPlan, json: JsonValue, findings: Findings): string | undefined {
  const text = textOf(field, json);
  if (text === undefined) return refuse(textExpectation(field), findings);
  checkText(field, text, findings);
  return text;
}

function textOf(field: FieldPlan, json: JsonValue): string | undefined {
  if (typeof json === 'string') return field.path ? normalisePath(json) : json;
  if (typeof json === 'number' && field.numberOrString) return textOfNumber(json);
  if (field.path && Array.isArray(json) && json.every((name) => typeof name === 'string'))
    return joinPath(json as string[]);
  return undefined;
}

/** An integer beyond 2^53 has already lost digits. */
function textOfNumber(value: number): string | undefined {
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  return isExact ? String(value) : undefined;
}

function textExpectation(field: FieldPlan): string {
  if (field.path) return 'Must be a string or an array of strings.';
  return field.numberOrString ? 'Must be a string or a number below 2^53.' : 'Must be a string.';
}

function decodeInteger(field: FieldPlan, json: JsonValue, findings: Findings): number | bigint | undefined {
  if (typeof json !== 'number' || !Number.isInteger(json)) return refuse('Must be an integer.', findings);
  if (field.kind === 'int64') {
    if (!Number.isSafeInteger(json)) return refuse('Must be an integer below 2^53.', findings);
    checkNumber(field, json, findings);
    return BigInt(json);
  }
  const value = json | 0;
  if (value !== json) return refuse('Must be an integer of 32 bits.', findings);
  checkNumber(field, value, findings);
  return value;
}

function decodeDouble(field: FieldPlan, json: JsonValue, findings: Findings): number | undefined {
  if (typeof json !== 'number') return refuse('Must be a number.', findings);
  checkNumber(field, json, findings);
  return json;
}

function decodeEnum(field: FieldPlan, json: JsonValue, findings: Findings): number | undefined {
  const names = field.enumeration!.byName;
  if (typeof json !== 'string') return refuse('Must be a string.', findings);
  const number = names.get(json);
  return number ?? refuse(unknownName('value', json, names.keys()), findings);
}

function decodeTimestamp(field: FieldPlan, json: JsonValue, findings: Findings): Timestamp | undefined {
  const timestamp =
    typeof json === 'string'
      ? parseTimestamp(json)
      : typeof json === 'number' && field.unixTime
        ? timestampFromUnix(json)
        : undefined;
  if (timestamp !== undefined) return timestamp;
  const also = field.unixTime ? ', or Unix seconds' : '';
  return refuse(`Must be an RFC 3339 timestamp with offset${also}.`, findings);
}

function refuse(detail: string, findings: Findings): undefined {
  report(findings, detail);
  return undefined;
}

/** Converts only valid JSON, since conversion recurses into every level. */
function decodeValue(field: FieldPlan, json: JsonValue, findings: Findings): Value | undefined {
  const faultCount = findings.violations.length;
  checkJson(json, field.maxLength, findings);
  const isSound = findings.violations.length === faultCount && !isFull(findings);
  return isSound ? valueFromJson(json) : undefined;
}
