/** Checks the limits of messages that were not decoded from JSON, with the same pointers. */

import type { DescMessage, JsonObject, Message } from '@bufbuild/protobuf';
import type { Timestamp, Value } from '@bufbuild/protobuf/wkt';
import type { Violation } from '../../errors.ts';
import { heldBy } from './encode.ts';
import type { FieldPlan, Kind } from './field-plan.ts';
import { createFindings, type Findings, report, visitElements } from './findings.ts';
import { checkCount, checkNumber, checkString, checkText, presenceDetail } from './limits.ts';
import { type MessagePlan, planOf } from './plan.ts';
import { isTimestamp } from './timestamps.ts';
import { checkJson, isTooDeep, jsonFromValue, maxDepth } from './values.ts';

/** Returns all violations of a message. Pointers are relative to it. */
export function validateMessage(desc: DescMessage, message: Message): Violation[] {
  const findings = createFindings();
  validateFields(planOf(desc), message, findings);
  return findings.violations;
}

/** Checks the fields of a plan or of a part of one. Ignores fields that only the service sets. */
export function validateFields(plan: MessagePlan, message: Message, findings: Findings): void {
  const fields = message as unknown as Record<string, unknown>;
  for (const field of plan.fields) {
    if (field.outputOnly) continue;
    const value = heldBy(field, fields);
    const isHidden = field.rest || plan.bareOnly;
    if (!isHidden) findings.trail.push(field.name);
    if (value !== undefined) validateField(field, value, findings);
    else if (field.required) report(findings, presenceDetail);
    if (!isHidden) findings.trail.pop();
  }
}

export function validateField(field: FieldPlan, value: unknown, findings: Findings): void {
  if (field.container === 'list') validateList(field, value as unknown[], findings);
  else if (field.container === 'map') validateMap(field, value as Record<string, unknown>, findings);
  else validateElement(field, value, findings);
}

function validateList(field: FieldPlan, list: unknown[], findings: Findings): void {
  if (list.length === 0 && !field.required) return;
  if (!checkCount(field, list.length, findings)) return;
  visitElements(findings, list.length, (index) => validateElement(field, list[index], findings));
}

function validateMap(field: FieldPlan, map: Record<string, unknown>, findings: Findings): void {
  const names = Object.keys(map);
  if (names.length === 0 && !field.required) return;
  if (!checkCount(field, names.length, findings)) return;
  for (const name of names) {
    findings.trail.push(name);
    checkString(name, field.maxLength, findings);
    validateElement(field, map[name], findings);
    findings.trail.pop();
  }
}

type Check = (field: FieldPlan, value: never, findings: Findings) => void;

const checks: Readonly<Record<Kind, Check>> = {
  message: (field, value: Message, findings) => validateFields(field.message!, value, findings),
  text: checkText,
  int32: checkNumber,
  double: checkNumber,
  int64: validateInt64,
  bool: () => {},
  enum: validateEnum,
  timestamp: validateTimestamp,
  struct: validateStruct,
  value: validateValue,
};

function validateElement(field: FieldPlan, value: unknown, findings: Findings): void {
  checks[field.kind](field, value as never, findings);
}

function validateInt64(field: FieldPlan, value: bigint, findings: Findings): void {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) report(findings, 'Must be an integer below 2^53.');
  else checkNumber(field, number, findings);
}

function validateEnum(field: FieldPlan, value: number, findings: Findings): void {
  if (value === 0 && field.required) report(findings, presenceDetail);
  else if (value !== 0 && !field.enumeration!.byNumber.has(value))
    report(findings, 'Must be a declared value.');
}

function validateTimestamp(_field: FieldPlan, value: Timestamp, findings: Findings): void {
  if (!isTimestamp(value)) report(findings, 'Must be a timestamp in the years 1 to 9999.');
}

/** In a list or map, the count limits its elements. */
function validateStruct(field: FieldPlan, value: JsonObject, findings: Findings): void {
  const isCounted = field.container === 'one';
  if (isCounted && !checkCount(field, Object.keys(value).length, findings)) return;
  checkJson(value, field.maxLength, findings);
}

function validateValue(field: FieldPlan, value: Value, findings: Findings): void {
  if (isTooDeep(value)) report(findings, `Must not be nested deeper than ${maxDepth} levels.`);
  else checkJson(jsonFromValue(value) ?? null, field.maxLength, findings);
}
