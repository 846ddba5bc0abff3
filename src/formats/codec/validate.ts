/** The limits of a message that did not come as JSON, reported where a JSON caller would have made the mistake. */

import type { DescMessage, JsonObject, Message } from '@bufbuild/protobuf';
import type { Timestamp, Value } from '@bufbuild/protobuf/wkt';
import type { Violation } from '../../errors.ts';
import { heldBy } from './encode.ts';
import type { FieldPlan, Kind } from './field-plan.ts';
import {
  createFindings,
  type Findings,
  isFull,
  makeRoom,
  maxElementViolationCount,
  maxViolationCount,
  report,
} from './findings.ts';
import { checkCount, checkNumber, checkString, checkText, presenceDetail } from './limits.ts';
import { type MessagePlan, planOf } from './plan.ts';
import { isTimestamp } from './timestamps.ts';
import { checkJson, isTooDeep, jsonFromValue, maxDepth } from './values.ts';

/** Everything that is wrong with a message. Pointers are relative to it. */
export function validateMessage(desc: DescMessage, message: Message): Violation[] {
  const findings = createFindings();
  validateFields(planOf(desc), message, findings);
  return findings.violations;
}

/** Checks the fields of a plan, or of a part of one. What only the service sets is not looked at. */
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

/** Checks what a field holds. */
export function validateField(field: FieldPlan, value: unknown, findings: Findings): void {
  if (field.container === 'list') validateList(field, value as unknown[], findings);
  else if (field.container === 'map') validateMap(field, value as Record<string, unknown>, findings);
  else validateElement(field, value, findings);
}

function validateList(field: FieldPlan, list: unknown[], findings: Findings): void {
  if (list.length === 0 && !field.required) return;
  if (!checkCount(field, list.length, findings)) return;
  const isJudgedSingly = findings.perElement && findings.trail.length === 1;
  for (let index = 0; index < list.length; index++) {
    if (isJudgedSingly) makeRoom(findings, maxElementViolationCount);
    else if (isFull(findings)) break;
    findings.trail.push(index);
    validateElement(field, list[index], findings);
    findings.trail.pop();
  }
  if (isJudgedSingly) makeRoom(findings, maxViolationCount);
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
  if (!isTimestamp(value)) report(findings, 'Must be a moment of the years 1 to 9999.');
}

/** In a list or map, counts are of its elements. */
function validateStruct(field: FieldPlan, value: JsonObject, findings: Findings): void {
  const isCounted = field.container === 'one';
  if (isCounted && !checkCount(field, Object.keys(value).length, findings)) return;
  checkJson(value, field.maxLength, findings);
}

function validateValue(field: FieldPlan, value: Value, findings: Findings): void {
  if (isTooDeep(value)) report(findings, `Must not be nested deeper than ${maxDepth} levels.`);
  else checkJson(jsonFromValue(value) ?? null, field.maxLength, findings);
}
