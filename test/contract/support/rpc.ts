/** Common parts of the RPC transports: methods by name, answers as the documented JSON, and error details. */

import {
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  getOption,
  type Message,
} from '@bufbuild/protobuf';
import {
  message as messageOption,
  operation as operationOption,
} from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { BadRequestSchema, ErrorInfoSchema } from '../../../gen/es/personalisation/rest/v1/status_pb.js';
import { services } from '../../../gen/rest/services.ts';
import { encodeJson } from '../../../src/formats/codec.ts';
import type { Outcome } from './operation.ts';

type UnaryMethod = DescMethodUnary<DescMessage, DescMessage>;

const methods = new Map(
  services.flatMap((service) =>
    service.methods.map((method) => [`${service.name}/${method.name}`, method as UnaryMethod]),
  ),
);

/** @param rpc e.g. `ItemService/PutItem`. */
export function methodOf(rpc: string): UnaryMethod {
  const method = methods.get(rpc);
  if (method === undefined) throw new Error(`There is no rpc ${rpc}.`);
  return method;
}

/** The answer as the documented HTTP body. */
export function succeeded(method: UnaryMethod, message: Message): Outcome {
  const json = encodeJson(method.output, message) as Record<string, unknown>;
  const { responseField } = getOption(method, operationOption);
  if (responseField === '') return { ok: true, body: json };
  const body = json[responseField] as Record<string, unknown>;
  const schema = method.output.fields.find(({ name }) => name === responseField)!.message;
  const isVerbatim = schema !== undefined && getOption(schema, messageOption).verbatim;
  return { ok: true, body: isVerbatim ? withoutEmptyLists(body) : body };
}

/** HTTP answers that repeat the request distinguish empty from absent lists; messages do not. */
function withoutEmptyLists(json: Record<string, unknown>): unknown {
  return Object.fromEntries(
    Object.entries(json).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
}

export type ErrorDetail = { type: string; value: Uint8Array };

export function failed(details: ErrorDetail[]): Outcome & { ok: false; requestId: string } {
  const find = (type: string) => details.find((detail) => detail.type === type)?.value ?? new Uint8Array();
  const { reason, metadata } = fromBinary(ErrorInfoSchema, find('google.rpc.ErrorInfo'));
  const { fieldViolations } = fromBinary(BadRequestSchema, find('google.rpc.BadRequest'));
  const pointers = fieldViolations.map(({ pointer }) => pointer);
  return { ok: false, reason, pointers, requestId: metadata.request_id };
}
