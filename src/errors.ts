/**
 * The one kind of failure that a caller can cause or must know of.
 *
 * Rooms throw a DomainError with a reason of proto/personalisation/rest/v1/error_reason.proto; what status and
 * code a reason becomes on each transport is data on that enum and on the operation, read by handlers/chain/errors.ts.
 */

/** One thing wrong with a request: where, and what to do about it. */
export type Violation = {
  /** RFC 6901 pointer into the body (`/lists/0/list_size`), or `query:NAME` / `path:NAME`. */
  pointer: string;
  /** One actionable sentence. */
  detail: string;
};

/** The names of error_reason.proto without their prefix; a test holds the two lists together. */
export const errorReasons = [
  'BODY_NOT_JSON',
  'MEDIA_TYPE_UNSUPPORTED',
  'BODY_INVALID',
  'BODY_TOO_LARGE',
  'PARAMETER_INVALID',
  'OPERATOR_UNSUPPORTED',
  'METADATA_KEY_UNKNOWN',
  'VARIABLE_MISSING',
  'UNAUTHENTICATED',
  'CLIENT_INVALID',
  'SCOPE_MISSING',
  'ORIGIN_NOT_ALLOWED',
  'ENVIRONMENT_UNKNOWN',
  'ITEM_TYPE_UNKNOWN',
  'ITEM_UNKNOWN',
  'CONFIGURATION_UNKNOWN',
  'LIST_UNKNOWN',
  'METRIC_UNKNOWN',
  'AUDIENCE_UNKNOWN',
  'VERSION_CONFLICT',
  'ROUTE_UNKNOWN',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'NOT_IMPLEMENTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'TRAINING_UNKNOWN',
  'CLIENT_UNKNOWN',
  'USER_UNKNOWN',
  'BATCH_UNKNOWN',
  'SYNONYM_UNKNOWN',
  'ANSWER_TOO_LARGE',
] as const;

export type ErrorReason = (typeof errorReasons)[number];

export type DomainErrorOptions = {
  /** Every variable of the message, so that a program need not read prose. */
  metadata?: Record<string, string>;
  violations?: Violation[];
  cause?: unknown;
};

export class DomainError extends Error {
  readonly reason: ErrorReason;
  readonly metadata: Record<string, string>;
  readonly violations: Violation[];

  constructor(reason: ErrorReason, message: string, options: DomainErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'DomainError';
    this.reason = reason;
    this.metadata = options.metadata ?? {};
    this.violations = options.violations ?? [];
  }
}
