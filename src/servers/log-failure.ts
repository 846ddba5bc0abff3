/** The one log line of a failed call: a fault of ours with its cause, a caller's mistake quietly. */

import type { Logger } from 'pino';
import type { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';

const ourFaults = new Set(['INTERNAL', 'UNAVAILABLE']);

export function logFailure(
  logger: Logger,
  error: DomainError,
  { operation, call }: { operation: string; call: Pick<Call, 'requestId' | 'transport'> },
): void {
  const facts = {
    operation,
    request_id: call.requestId,
    transport: call.transport,
    reason: error.reason,
  };
  if (ourFaults.has(error.reason)) logger.error({ ...facts, err: error.cause ?? error }, error.message);
  else logger.debug(facts, error.message);
}
