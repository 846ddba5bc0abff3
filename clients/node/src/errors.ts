/** The error that this package throws. `reason` is a name of the contract, for network failures too. */

import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { ErrorReason as ErrorReasons } from '../../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { BadRequestSchema, ErrorInfoSchema } from '../../../gen/es/personalisation/rest/v1/status_pb.js';

/** e.g. `ITEM_UNKNOWN`; see the pages of the service's reference. */
export type ErrorReason = Exclude<keyof typeof ErrorReasons, 'UNSPECIFIED'>;

/** Violation of one field of a request. */
export type Violation = { pointer: string; detail: string };

export type ErrorFacts = {
  metadata?: Record<string, string>;
  violations?: Violation[];
  retryAfterMs?: number;
  cause?: unknown;
};

export class PersonalisationError extends Error {
  override readonly name = 'PersonalisationError';
  readonly reason: ErrorReason;
  /** Identifies the call in the service's log. Undefined when there was no answer. */
  readonly requestId: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  /** Pause that the service asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: ErrorReason, message: string, facts: ErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.reason = reason;
    this.metadata = facts.metadata ?? {};
    this.requestId = this.metadata.request_id;
    this.violations = facts.violations ?? [];
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Failures of the service or the network; the same request may succeed later. */
const passing: ReadonlySet<ErrorReason> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'INTERNAL',
]);

/** Tests whether a fallback should replace the answer; other errors need a change of the caller's code. */
export function isPassing(error: PersonalisationError): boolean {
  return passing.has(error.reason);
}

/** Reasons of failures without an answer of the service: proxy, network, timeout. */
const reasonOfCode = new Map<Code, ErrorReason>([
  [Code.DeadlineExceeded, 'DEADLINE_EXCEEDED'],
  [Code.Unavailable, 'UNAVAILABLE'],
  [Code.Unauthenticated, 'UNAUTHENTICATED'],
  [Code.PermissionDenied, 'SCOPE_MISSING'],
  [Code.ResourceExhausted, 'RATE_LIMITED'],
  [Code.InvalidArgument, 'BODY_INVALID'],
  [Code.Unimplemented, 'ROUTE_UNKNOWN'],
]);

/** Converts anything that a call threw. */
export function toPersonalisationError(thrown: unknown): PersonalisationError {
  if (thrown instanceof PersonalisationError) return thrown;
  const error = ConnectError.from(thrown);
  if (error.cause instanceof PersonalisationError) return error.cause;
  const info = detailOf(error, 'google.rpc.ErrorInfo', ErrorInfoSchema);
  if (info === undefined) return withoutDetails(error);
  const violations = detailOf(error, 'google.rpc.BadRequest', BadRequestSchema)?.fieldViolations ?? [];
  return new PersonalisationError(info.reason as ErrorReason, error.rawMessage, {
    metadata: info.metadata,
    violations: violations.map(({ pointer, field, description }) => ({
      pointer: pointer || field,
      detail: description,
    })),
    retryAfterMs: retryAfterOf(error, info.metadata),
    cause: error,
  });
}

function withoutDetails(error: ConnectError): PersonalisationError {
  /** `fetch` rejects with a TypeError when there is no connection. */
  const isNetwork = error.cause instanceof TypeError;
  const reason = isNetwork ? 'UNAVAILABLE' : (reasonOfCode.get(error.code) ?? 'INTERNAL');
  const message = isNetwork ? `The service cannot be reached: ${error.rawMessage}` : error.rawMessage;
  return new PersonalisationError(reason, message, { cause: error, retryAfterMs: retryAfterOf(error, {}) });
}

function retryAfterOf({ metadata }: ConnectError, facts: Record<string, string>): number | undefined {
  const seconds = Number(facts.retry_after_seconds ?? metadata.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

/** Details have Google's type names; these messages have the same fields. */
function detailOf<Schema extends typeof ErrorInfoSchema | typeof BadRequestSchema>(
  error: ConnectError,
  type: string,
  schema: Schema,
) {
  const detail = error.details.find((candidate) => 'type' in candidate && candidate.type === type);
  if (detail === undefined || !('value' in detail)) return undefined;
  return fromBinary<Schema>(schema, detail.value as Uint8Array);
}
