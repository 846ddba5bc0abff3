/** Tells why a statement failed. */

import type { DomainError } from '../errors.ts';

/** SQLSTATE of a statement timeout. */
const timeoutState = '57014';

/** Returns whether the database, or the server that was needed, was away; a statement that timed out was answered. */
export function isAway(error: unknown): boolean {
  const { reason, cause } = error as Partial<DomainError>;
  return reason === 'UNAVAILABLE' && (cause as { code?: string } | undefined)?.code !== timeoutState;
}

/** Returns whether a statement failed because a unique key is taken. */
export function isTaken(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === '23505';
}

/** SQLSTATE classes caused by values: data exceptions, constraints, program limits. */
const contentStates = /^(22|23|54)/;

/** Whether the values of a statement made it fail, rather than the state of the database. */
export function isOfContent(error: unknown): boolean {
  const { code = '' } = ((error as DomainError).cause ?? {}) as { code?: string };
  return contentStates.test(code);
}
