/** Tells why a statement or a write failed. */

import { DomainError } from '../errors.ts';

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

/**
 * Returns VERSION_CONFLICT for a write that expected another revision than the current one.
 * @param subject With a verb, such as `Synonym "tv" is`.
 * @param name How the kind of object counts its writes.
 */
export function writeConflict(
  subject: string,
  name: 'revision' | 'version',
  { current, expected }: { current: number; expected: number | undefined },
  metadata: Record<string, string>,
): DomainError {
  const wanted = expected === -1 ? 'stored' : String(expected);
  return new DomainError(
    'VERSION_CONFLICT',
    `${subject} at ${name} ${current}, not ${wanted}; read it again.`,
    {
      metadata: { ...metadata, [`expected_${name}`]: String(expected), [`current_${name}`]: String(current) },
    },
  );
}
