/**
 * Failures that a caller causes or must know of.
 *
 * Modules throw a DomainError with a reason of proto/personalisation/rest/v1/error_reason.proto.
 * Its status and code on each transport are options of that enum and of the operation; see
 * handlers/chain/errors.ts.
 */

/** One fault of a request, with its place. */
export type Violation = {
  /** RFC 6901 pointer into the body (`/lists/0/list_size`), or `query:NAME` / `path:NAME`. */
  pointer: string;
  /** One actionable sentence. */
  detail: string;
};

/** Returns the step of an RFC 6901 pointer to a property: `/price`. */
export function pointerStep(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Names of error_reason.proto without their prefix; a test compares the two lists. */
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
  'IMPORT_UNKNOWN',
  'SYNONYM_UNKNOWN',
  'ANSWER_TOO_LARGE',
  'ADDRESS_TOO_LONG',
  'WEBHOOK_UNKNOWN',
  'EXPERIMENT_UNKNOWN',
  'INTEREST_UNKNOWN',
  'EXPERIMENT_STATE_CONFLICT',
  'PERSON_UNKNOWN',
  'PERSON_EXISTS',
  'PAGE_UNKNOWN',
  'VIEW_UNKNOWN',
] as const;

export type ErrorReason = (typeof errorReasons)[number];

export type DomainErrorOptions = {
  /** Variables of the message, so that programs need not parse it. */
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

/** Creates the error of a fault of the body. @param pointer Of the faulty value. */
export function invalid(pointer: string, detail: string): DomainError {
  return new DomainError('BODY_INVALID', detail, { violations: [{ pointer, detail }] });
}

/** @throws BODY_INVALID if there are violations. */
export function refuseInvalid(violations: Violation[]): void {
  if (violations.length > 0) throw new DomainError('BODY_INVALID', violations[0].detail, { violations });
}
