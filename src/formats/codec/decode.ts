/** Decodes JSON into messages. Collects every violation instead of stopping at the first. */

import {
  create,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { ErrorReason, Violation } from '../../errors.ts';
import { decodeElement } from './decode-element.ts';
import type { FieldPlan } from './field-plan.ts';
import {
  createFindings,
  type Findings,
  isFull,
  reasonOf,
  report,
  unknownName,
  visitElements,
} from './findings.ts';
import { checkCount, checkString, presenceDetail } from './limits.ts';
import { type MessagePlan, planOf } from './plan.ts';
import { checkJson, isObject, setProperty } from './values.ts';
import { withVerbatim } from './verbatim.ts';

export type Decoded<T extends Message = Message> = {
  /** Complete only without violations. */
  message: T;
  violations: Violation[];
  /** Reason of the error; undefined without violations. */
  reason: ErrorReason | undefined;
};

type Fields = Record<string, unknown>;

/** Decodes a result of JSON.parse. Pointers are relative to `json`. */
export function decodeJson<Desc extends DescMessage>(desc: Desc, json: unknown): Decoded<MessageShape<Desc>> {
  const findings = createFindings();
  const message = decodeMessage(planOf(desc), json as JsonValue, findings) ?? create(desc);
  return { message: message as MessageShape<Desc>, ...resultOf(findings) };
}

/** Returns the violations and the reason of the error. */
export function resultOf(findings: Findings): Pick<Decoded, 'violations' | 'reason'> {
  const { violations, graver } = findings;
  return { violations, reason: violations.length > 0 ? (graver ?? reasonOf(violations)) : undefined };
}

/** Decodes a message from an object, or from the array or scalar that its plan allows instead. */
export function decodeMessage(plan: MessagePlan, json: JsonValue, findings: Findings): Message | undefined {
  if (!isObject(json) || plan.bareOnly) return decodeShort(plan, json, findings);
  const message = create(plan.desc);
  decodeInto(plan, message, json, findings);
  return plan.verbatim ? withVerbatim(message, json) : message;
}

/** Decodes the properties of an object into a message that may already have others. */
export function decodeInto(plan: MessagePlan, message: Message, json: JsonObject, findings: Findings): void {
  const rest: JsonObject = {};
  let hasRest = false;
  for (const name of Object.keys(json)) {
    const field = plan.byName.get(name);
    if (field !== undefined) decodeField(field, message, json[name], findings);
    else if (plan.rest === undefined) reportUnknown(plan, name, findings);
    else {
      setProperty(rest, name, json[name]);
      hasRest = true;
    }
  }
  if (hasRest) decodeRest(plan.rest!, message, rest, findings);
  for (const field of plan.required) {
    if (json[field.name] == null) report(findings, presenceDetail, field.name);
  }
}

function decodeField(field: FieldPlan, message: Message, json: JsonValue, findings: Findings): void {
  if (json === null) return;
  findings.trail.push(field.name);
  if (field.outputOnly) report(findings, 'Is set by the service; leave it out.');
  else store(field, message, decodeContainer(field, json, findings), findings);
  findings.trail.pop();
}

function decodeContainer(field: FieldPlan, json: JsonValue, findings: Findings): unknown {
  if (field.container === 'list') return decodeList(field, json, findings);
  if (field.container === 'map') return decodeMap(field, json, findings);
  if (field.kind === 'message') return decodeMessage(field.message!, json, findings);
  if (field.kind === 'struct' && isObject(json)) checkCount(field, Object.keys(json).length, findings);
  return decodeElement(field, json, findings);
}

function store(field: FieldPlan, message: Message, value: unknown, findings: Findings): void {
  if (value === undefined) return;
  const fields = message as unknown as Fields;
  if (field.oneof === undefined) {
    fields[field.local] = value;
    return;
  }
  const group = fields[field.oneof] as { case?: string };
  if (group.case !== undefined)
    report(findings, 'Must not be given with another alternative; leave one out.');
  fields[field.oneof] = { case: field.local, value };
}

function decodeList(field: FieldPlan, json: JsonValue, findings: Findings): unknown[] | undefined {
  if (Array.isArray(json)) return decodeElements(field, json, findings);
  if (field.entries && isObject(json)) return decodeEntries(field, json, findings);
  if (field.oneOrMany) {
    const element = decodeOne(field, json, findings);
    return element === undefined ? undefined : [element];
  }
  report(findings, field.entries ? 'Must be an array or an object.' : 'Must be an array.');
  return undefined;
}

function decodeElements(field: FieldPlan, json: JsonValue[], findings: Findings): unknown[] {
  const list: unknown[] = [];
  if (!checkCount(field, json.length, findings)) return list;
  visitElements(findings, json.length, (index) => list.push(decodeOne(field, json[index], findings)));
  return list;
}

/** Decodes `{name: value}` instead of `[{name, value}]`. */
function decodeEntries(field: FieldPlan, json: JsonObject, findings: Findings): unknown[] {
  const list: unknown[] = [];
  const plan = field.message!;
  const [nameField, valueField] = [plan.byName.get('name')!, plan.byName.get('value')!];
  const names = Object.keys(json);
  if (!checkCount(field, names.length, findings)) return list;
  for (const name of names) {
    const entry = create(plan.desc);
    findings.trail.push(name);
    store(nameField, entry, decodeElement(nameField, name, findings), findings);
    if (json[name] !== null)
      store(valueField, entry, decodeContainer(valueField, json[name], findings), findings);
    findings.trail.pop();
    list.push(entry);
  }
  return list;
}

function decodeMap(field: FieldPlan, json: JsonValue, findings: Findings): Fields | undefined {
  if (!isObject(json)) {
    report(findings, 'Must be an object.');
    return undefined;
  }
  const map: Fields = {};
  const names = Object.keys(json);
  if (!checkCount(field, names.length, findings)) return map;
  for (const name of names) {
    findings.trail.push(name);
    checkString(name, field.maxLength, findings);
    setProperty(map, name, decodeOne(field, json[name], findings));
    findings.trail.pop();
  }
  return map;
}

function decodeOne(field: FieldPlan, json: JsonValue, findings: Findings): unknown {
  if (field.kind === 'message') return decodeMessage(field.message!, json, findings);
  return decodeElement(field, json, findings);
}

/** Decodes an array as the `bare` list of a message, or a scalar as its `scalar` field. */
function decodeShort(plan: MessagePlan, json: JsonValue, findings: Findings): Message | undefined {
  const isList = Array.isArray(json);
  const field = isList ? plan.bare : isScalar(json) ? plan.scalar : undefined;
  if (field === undefined) {
    report(findings, expectation(plan));
    return undefined;
  }
  const message = create(plan.desc);
  store(field, message, decodeContainer(field, json, findings), findings);
  for (const other of plan.required) {
    if (other !== field) report(findings, presenceDetail, other.name);
  }
  return message;
}

function decodeRest(field: FieldPlan, message: Message, rest: JsonObject, findings: Findings): void {
  if (!checkCount(field, Object.keys(rest).length, findings)) return;
  checkJson(rest, field.maxLength, findings);
  store(field, message, rest, findings);
}

function reportUnknown(plan: MessagePlan, name: string, findings: Findings): void {
  if (plan.unknownReason !== 'BODY_INVALID') findings.graver = plan.unknownReason;
  if (isFull(findings)) return;
  report(findings, unknownName('property', name, plan.byName.keys()), name);
}

function expectation(plan: MessagePlan): string {
  const shapes = [
    plan.bareOnly ? undefined : 'an object',
    plan.bare && 'an array',
    plan.scalar && 'a scalar',
  ].filter((shape) => shape !== undefined);
  return `Must be ${shapes.join(' or ')}.`;
}

function isScalar(json: JsonValue): boolean {
  return json !== null && typeof json !== 'object';
}
