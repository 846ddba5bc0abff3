/** Fills request messages from the path, the query and the body, in this order. */

import { create, type JsonObject, type JsonValue, type Message } from '@bufbuild/protobuf';
import { DomainError, type Violation } from '../../errors.ts';
import { decodeInto, decodeMessage, resultOf } from '../../formats/codec/decode.ts';
import { encodeField, encodeMessage } from '../../formats/codec/encode.ts';
import type { FieldPlan } from '../../formats/codec/field-plan.ts';
import { createFindings, type Findings, report } from '../../formats/codec/findings.ts';
import { isObject } from '../../formats/codec/values.ts';
import type { Endpoint } from './endpoint.ts';
import { jsonOfParameters, type Parameter, parseParameters } from './query.ts';

/** A query parameter of every path, since front ends cannot always set headers. */
const writeKeyName = 'write_key';

export type BoundParameters = {
  message: Message;
  writeKey: string | undefined;
  /** PARAMETER_INVALID with all violations, to be thrown after the caller is admitted. */
  fault: DomainError | undefined;
};

export function bindParameters(
  endpoint: Endpoint,
  path: Readonly<Record<string, string>>,
  query: string,
): BoundParameters {
  const message = create(endpoint.method.input);
  const findings = createFindings('path');
  if (endpoint.path.fields.length > 0) decodeInto(endpoint.path, message, path as JsonObject, findings);
  const parameters = query === '' ? [] : parseParameters(query);
  if (parameters === undefined) return { message, writeKey: undefined, fault: malformedQuery() };
  findings.place = 'query';
  const others = parameters.filter(({ name }) => name !== writeKeyName);
  decodeInto(endpoint.query, message, jsonOfParameters(endpoint.query, others, findings), findings);
  const writeKey = parameters.find(({ name }) => name === writeKeyName)?.value;
  return { message, writeKey, fault: faultOf(findings) };
}

/**
 * Fills in the body. If the handler reports elements of the body's list one by one (`partial_field`), their violations are
 * returned.
 *
 * @throws BODY_INVALID, or a more specific reason, with all violations.
 */
export function bindBody(endpoint: Endpoint, message: Message, json: JsonValue): Violation[] {
  const fields = message as unknown as Record<string, unknown>;
  const findings = createFindings();
  findings.perElement = endpoint.judgesElements;
  const { bodyField } = endpoint;
  if (bodyField !== undefined) fields[bodyField.local] = decodeMessage(bodyField.message!, json, findings);
  else if (isObject(json)) decodeInto(endpoint.body, message, json, findings);
  else report(findings, 'Must be an object.');
  const areInElements = findings.violations.every(({ pointer }) => pointer.indexOf('/', 1) > 0);
  if (!findings.perElement || !areInElements) refuse(findings);
  return findings.violations;
}

/** Fills in a form, whose texts are converted to the types of the fields. Unknown names are ignored (RFC 6749, 3.2). */
export function bindForm(endpoint: Endpoint, message: Message, form: string): Violation[] {
  const parameters: Parameter[] | undefined = parseParameters(form);
  if (parameters === undefined) throw new DomainError('BODY_NOT_JSON', 'The form has a malformed escape.');
  const findings = createFindings();
  const plan = endpoint.bodyField?.message ?? endpoint.body;
  const json = jsonOfParameters(plan, parameters, findings, true);
  refuse(findings);
  return bindBody(endpoint, message, json);
}

/** @throws BODY_NOT_JSON or BODY_INVALID where a body is required. */
export function bindNoBody({ route, bodyField }: Endpoint): void {
  if (route.body === '') return;
  if (!route.bodyOptional) throw new DomainError('BODY_NOT_JSON', 'Send a JSON body.');
  if (bodyField?.required)
    throw new DomainError('BODY_INVALID', 'Send a JSON body.', {
      violations: [{ pointer: '', detail: 'A value is required.' }],
    });
}

export function encodeAnswer({ response, responseField }: Endpoint, message: Message): JsonValue {
  if (responseField === undefined) return encodeMessage(response, message);
  const value = (message as unknown as Record<string, unknown>)[responseField.local];
  const json = value === undefined ? undefined : encodeField(responseField, value);
  if (json === undefined) throw new Error(`${message.$typeName}.${responseField.name} is not set`);
  return json;
}

/** Returns the fields that the documented JSON lacks: those besides the body field, or those for gRPC callers only. */
export function encodeExtensions({ response, responseField }: Endpoint, message: Message): JsonObject {
  const fields = message as unknown as Record<string, unknown>;
  const json: JsonObject = {};
  for (const field of extensionsOf(response.fields, responseField)) {
    const value = fields[field.local];
    const encoded = value === undefined ? undefined : encodeField(field, value);
    if (encoded !== undefined) json[field.name] = encoded;
  }
  return json;
}

export function extensionsOf(
  fields: readonly FieldPlan[],
  responseField: FieldPlan | undefined,
): FieldPlan[] {
  return fields.filter((field) => (responseField ? field !== responseField : field.grpcOnly));
}

function refuse(findings: Findings): void {
  const fault = faultOf(findings);
  if (fault !== undefined) throw fault;
}

function faultOf(findings: Findings): DomainError | undefined {
  const { violations, reason } = resultOf(findings);
  if (reason === undefined) return undefined;
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return new DomainError(reason, `${first.pointer || 'The body'}: ${first.detail}${more}`, { violations });
}

function malformedQuery(): DomainError {
  return new DomainError('PARAMETER_INVALID', 'The query has a malformed escape or too many parameters.', {
    violations: [{ pointer: 'query:', detail: 'Encode each name and value as UTF-8 with %XX.' }],
  });
}
