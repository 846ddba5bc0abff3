/**
 * Converts query strings and forms to JSON for the codec.
 *
 * Texts are converted to the types of their fields; a text that does not fit remains text, and the codec reports it.
 * Properties of a message or map are `a.b=`, `a[b]=` or one JSON object, `a={"b":…}`.
 */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { FieldPlan } from '../../formats/codec/field-plan.ts';
import { type Findings, report, unknownName } from '../../formats/codec/findings.ts';
import type { MessagePlan } from '../../formats/codec/plan.ts';
import { isObject, setProperty } from '../../formats/codec/values.ts';
import { decodeEscapes } from './router.ts';

export type Parameter = { name: string; value: string };

const maxParameterCount = 200;

const numberPattern = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const namePattern = /^[^.[\]]+(?:\.[^.[\]]+|\[[^.[\]]+\])*$/;

/** Splits `a=1&b=2`; undefined when an escape is malformed or there are too many parameters. */
export function parseParameters(text: string): Parameter[] | undefined {
  const parameters: Parameter[] = [];
  for (const part of text.split('&', maxParameterCount + 1)) {
    if (part === '') continue;
    const split = part.indexOf('=');
    const name = decodePart(split < 0 ? part : part.slice(0, split));
    const value = split < 0 ? '' : decodePart(part.slice(split + 1));
    if (name === undefined || value === undefined) return undefined;
    parameters.push({ name, value });
  }
  return parameters.length > maxParameterCount ? undefined : parameters;
}

/** Returns the JSON of parameters. @param lenient Ignores unknown names instead of reporting them. */
export function jsonOfParameters(
  plan: MessagePlan,
  parameters: readonly Parameter[],
  findings: Findings,
  lenient = false,
): JsonObject {
  const json: JsonObject = {};
  for (const { name, value } of parameters) {
    const steps = namePattern.test(name) ? name.replaceAll(']', '').split(/[.[]/) : [name];
    const place = locate(plan, json, steps);
    if (place === undefined) {
      if (!lenient) report(findings, unknownName('parameter', name, plan.byName.keys()), name);
    } else if (!put(place, value)) report(findings, 'Must be given once.', name);
  }
  return json;
}

type Place = { field: FieldPlan; holder: JsonObject; name: string };

/** Finds the field of a name's steps, and the object that holds it. */
function locate(plan: MessagePlan, json: JsonObject, steps: readonly string[]): Place | undefined {
  const field = plan.byName.get(steps[0]);
  if (field === undefined || steps.length === 1) return field && { field, holder: json, name: field.name };
  const isMap = field.container === 'map' && field.kind === 'text';
  if (!isMap && (field.message === undefined || field.container !== 'one')) return undefined;
  const inner = json[field.name] ?? {};
  if (!isObject(inner)) return undefined;
  if (isMap) {
    json[field.name] = inner;
    return { field: { ...field, container: 'one' }, holder: inner, name: steps.slice(1).join('.') };
  }
  const place = locate(field.message!, inner, steps.slice(1));
  if (place !== undefined) json[field.name] = inner;
  return place;
}

/** Sets or appends a value. Returns false when the field has one already. */
function put({ field, holder, name }: Place, text: string): boolean {
  const held = Object.hasOwn(holder, name) ? holder[name] : undefined;
  const value = jsonOfText(field, text);
  if (field.container === 'list') {
    if (Array.isArray(held)) held.push(value);
    else holder[name] = [value];
    return true;
  }
  if (held !== undefined) return false;
  setProperty(holder, name, value);
  return true;
}

function jsonOfText(field: FieldPlan, text: string): JsonValue {
  if (field.container === 'map') return parseJson(text);
  switch (field.kind) {
    case 'text':
    case 'enum':
      return text;
    case 'int32':
    case 'int64':
    case 'double':
    case 'timestamp':
      return numberPattern.test(text) ? Number(text) : text;
    case 'bool':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return parseJson(text);
  }
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function decodePart(text: string): string | undefined {
  return decodeEscapes(text.replaceAll('+', ' '));
}
