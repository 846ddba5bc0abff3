import { DomainError } from '../../errors.ts';

/** The refusal of a limit, with the whole seconds after which the same call is worth trying again. */
export function rateLimited(what: string, waitMs: number): DomainError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  return new DomainError('RATE_LIMITED', `${what}; try again in ${seconds} s.`, {
    metadata: { retry_after_seconds: seconds },
  });
}
