/** What is logged of failed calls: a fault of ours with its cause, an overload now and then, a caller's mistake quietly. */

import type { Logger } from 'pino';
import type { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';
import { createCache } from '../ranking/runtime/cache.ts';

export type FailedCall = { operation: string; call: Pick<Call, 'requestId' | 'transport'> };

export type FailureLog = (error: DomainError, failed: FailedCall) => void;

/** An overload or a database that is away refuses thousands of calls a second, all for one reason. */
const refusalsEveryMs = 1_000;

/** Of some 1,000 kinds of refusals that are remembered; there are few, unless words quote what was sent. */
const mostBytes = 512 * 1024;
const bytesOfKind = 64;

export function createFailureLog(logger: Logger, now: () => number = Date.now): FailureLog {
  /** By operation and what is said. */
  const refusals = createCache<{ saidAtMs: number; silent: number }>({
    maxBytes: mostBytes,
    bytesOf: () => bytesOfKind,
  });

  /** How many were passed over since the last line; undefined when this one is passed over too. */
  const passedOver = (key: string): number | undefined => {
    const last = refusals.get(key);
    if (last !== undefined && now() - last.saidAtMs < refusalsEveryMs) {
      last.silent += 1;
      return undefined;
    }
    refusals.set(key, { saidAtMs: now(), silent: 0 });
    return last?.silent ?? 0;
  };

  return (error, { operation, call: { requestId, transport } }) => {
    const { reason, message } = error;
    const facts = { operation, request_id: requestId, transport, reason };
    if (reason === 'INTERNAL') logger.error({ ...facts, err: error.cause ?? error }, message);
    else if (reason !== 'UNAVAILABLE') logger.debug(facts, message);
    else {
      const others = passedOver(`${operation} ${message}`);
      if (others !== undefined) logger.error({ ...facts, ...causeOf(error), others }, message);
    }
  };
}

/** Without a stack: where a refusal was thrown tells nothing. */
function causeOf({ cause }: DomainError): object {
  if (cause === undefined) return {};
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return { cause: message, ...(code !== undefined && { code }) };
}
