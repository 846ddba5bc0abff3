import { DomainError, type ErrorReason, type Violation } from '../../errors.ts';

/** Throws if there are violations: PARAMETER_INVALID for the path or query, else BODY_INVALID. */
export function refuse(violations: Violation[]): void {
  if (violations.length === 0) return;
  const first = violations[0];
  const isParameter = /^(path|query):/.test(first.pointer);
  throw new DomainError(
    isParameter ? 'PARAMETER_INVALID' : 'BODY_INVALID',
    `${first.pointer || 'The body'}: ${first.detail}${violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''}`,
    { violations },
  );
}

/** Creates the error of an unknown ID: `There is no client "c_1".` */
export function notFound(
  reason: ErrorReason,
  kind: string,
  id: string,
  metadata: Record<string, string>,
): DomainError {
  return new DomainError(reason, `There is no ${kind} ${JSON.stringify(id)}.`, { metadata });
}

/** Returns the violation of an ID in a body that is not that of the path. */
export const checkId = (given: unknown, id: string, pointer: string): Violation[] =>
  given == null || given === id
    ? []
    : [{ pointer, detail: `Must be ${JSON.stringify(id)}, as in the path, or absent.` }];
