/** Translates errors into statuses, problem documents and details; no other file does. */

import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  getOption,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import {
  default$ as defaultStatus,
  ErrorReasonSchema,
  type ErrorStatus,
} from '../../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  StatusSchema,
} from '../../../gen/es/personalisation/rest/v1/status_pb.js';
import { DomainError, type ErrorReason, type Violation } from '../../errors.ts';
import { fieldPathOf } from '../../formats/codec/field-path.ts';

const domain = 'personalisation';
const prefix = 'ERROR_REASON_';

type ReasonEntry = { number: number; status: ErrorStatus };

/** Number and default statuses of each reason, as declared in error_reason.proto. */
const reasons: ReadonlyMap<string, ReasonEntry> = new Map(
  ErrorReasonSchema.values
    .filter((value) => value.number !== 0)
    .map((value) => [
      value.name.slice(prefix.length),
      { number: value.number, status: getOption(value, defaultStatus) },
    ]),
);

/**
 * Converts anything thrown into a DomainError. Internal errors become INTERNAL without details.
 *
 * @param signal Signal of the call, whose reason ends cancelled work.
 */
export function toDomainError(error: unknown, signal?: AbortSignal): DomainError {
  if (error instanceof DomainError) return error;
  if (signal?.aborted && error === signal.reason)
    return new DomainError('DEADLINE_EXCEEDED', 'The caller has gone, or its deadline has passed.');
  return new DomainError('INTERNAL', 'The service failed to process the request.', { cause: error });
}

/** Returns the HTTP status that the operation documents for a reason, else the reason's default. */
export function httpStatusOf(reason: ErrorReason, options?: OperationOptions): number {
  const entry = reasons.get(reason)!;
  const documented = options?.outcomes.find((outcome) => outcome.when.includes(entry.number));
  return documented?.status ?? entry.status.httpStatus;
}

export function grpcCodeOf(reason: ErrorReason): number {
  return reasons.get(reason)!.status.grpcCode;
}

/** Body of an HTTP error: ErrorBody of the API, extended as by RFC 9457. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  request_id: string;
  errors?: Violation[];
} & Record<string, unknown>;

export type ProblemPlace = {
  /** Prefix of the pages that document reasons. */
  basePath: string;
  requestId: string;
  /** Options of the operation; undefined if it is unknown. */
  options?: OperationOptions;
};

export function toProblem(error: DomainError, { basePath, requestId, options }: ProblemPlace): Problem {
  const status = httpStatusOf(error.reason, options);
  const problem: Problem = {
    type: `${basePath}/docs/errors/${error.reason}`,
    title: titleOf(error.reason),
    status,
    detail: error.message,
    request_id: requestId,
  };
  if (error.violations.length > 0) problem.errors = error.violations;
  return problem;
}

/** Bytes in trailers, in each of two places: the message may quote the caller's input. */
const longestMessage = 1_200;
const longestValue = 200;

export function toRpcMessage({ message }: DomainError): string {
  return cut(message, longestMessage, carriedBytes);
}

/** Each byte is escaped as `%XX` in the message, and sent as it is in the details. */
function carriedBytes(letter: string): number {
  return encodeURIComponent(letter).length + Buffer.byteLength(letter);
}

const sizeOf = (letter: string) => letter.length;

/** Returns the beginning of a text within a limit. */
function cut(text: string, most: number, takenBy: (letter: string) => number): string {
  const sound = text.toWellFormed();
  let taken = 0;
  let end = 0;
  for (const letter of sound) {
    taken += takenBy(letter);
    if (taken > most) return `${sound.slice(0, end)}…`;
    end += letter.length;
  }
  return sound;
}

/** One error detail under its google.rpc type name. */
export type ErrorDetail = { type: string; value: Uint8Array };

export type RpcPlace = { method: DescMethod; requestId: string };

/** The details with their content as JSON (`debug`), by which Connect's errors are read without the protos. */
export function toReadableDetails(
  error: DomainError,
  { method, requestId }: RpcPlace,
): (ErrorDetail & { debug: JsonValue })[] {
  return toErrorDetails(error, { method, requestId }).map(({ type, value }) => {
    const schema = type === 'google.rpc.ErrorInfo' ? ErrorInfoSchema : BadRequestSchema;
    return { type, value, debug: toJson(schema as DescMessage, fromBinary<DescMessage>(schema, value)) };
  });
}

/**
 * Limit of metadata and violations together. gRPC sends them in trailers, which many clients limit
 * to 8 KiB; base64 adds a third, and the message is sent twice.
 */
const largestDetailsBytes = 4_096;

/** Bytes of a violation besides its texts. */
const violationBytes = 8;

/**
 * Returns the facts of the problem document as google.rpc error details. If not all violations fit,
 * `violation_count` in the metadata has their number.
 */
export function toErrorDetails(error: DomainError, { method, requestId }: RpcPlace): ErrorDetail[] {
  const facts = Object.entries(error.metadata).map(([name, value]) => [
    name,
    cut(value, longestValue, sizeOf),
  ]);
  const metadata: Record<string, string> = { ...Object.fromEntries(facts), request_id: requestId };
  const factsBytes = Buffer.byteLength(JSON.stringify(metadata));
  const violations = error.violations.map(({ pointer, detail }) => ({
    field: fieldPathOf(method, pointer),
    description: detail,
    pointer,
  }));
  const listed = firstThatFit(violations, largestDetailsBytes - factsBytes);
  if (listed.length < violations.length) metadata.violation_count = String(violations.length);
  const info = create(ErrorInfoSchema, { reason: error.reason, domain, metadata });
  const details = [{ type: 'google.rpc.ErrorInfo', value: toBinary(ErrorInfoSchema, info) }];
  if (listed.length > 0) {
    const badRequest = create(BadRequestSchema, { fieldViolations: listed });
    details.push({ type: 'google.rpc.BadRequest', value: toBinary(BadRequestSchema, badRequest) });
  }
  return details;
}

function firstThatFit<T extends Record<string, string>>(violations: T[], mostBytes: number): T[] {
  let bytes = 0;
  const end = violations.findIndex((violation) => {
    bytes += Buffer.byteLength(Object.values(violation).join('')) + violationBytes;
    return bytes > mostBytes;
  });
  return end < 0 ? violations : violations.slice(0, end);
}

/** Returns the bytes of `grpc-status-details-bin`. */
export function toGrpcDetails(error: DomainError, place: RpcPlace): Uint8Array {
  const details = toErrorDetails(error, place).map(({ type, value }) => ({
    $typeName: 'google.protobuf.Any' as const,
    typeUrl: `type.googleapis.com/${type}`,
    value,
  }));
  return toBinary(
    StatusSchema,
    create(StatusSchema, { code: grpcCodeOf(error.reason), message: toRpcMessage(error), details }),
  );
}

function titleOf(reason: ErrorReason): string {
  const words = reason.toLowerCase().replaceAll('_', ' ');
  return words[0].toUpperCase() + words.slice(1);
}
